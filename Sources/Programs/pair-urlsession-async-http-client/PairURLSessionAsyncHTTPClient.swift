// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClientModes
import Rendering
import Scenarios
import TrialKit
import URLSessionModes

/// A program with two client libraries, for `fetchbench costs`; all but the clients is as in the programs of one.
@main
enum PairURLSessionAsyncHTTPClient {
    static func main() async {
        let pair = PairMode("data", of: URLSessionCatalog.all, and: "ahc-stream", of: AsyncHTTPClientCatalog.all)
        await TrialProgram.run(
            modes: [pair].compactMap(\.self), renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all,
            prepare: URLSessionTrust.follow)
    }
}
