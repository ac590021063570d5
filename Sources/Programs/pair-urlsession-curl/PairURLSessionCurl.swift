// SPDX-License-Identifier: Apache-2.0

import CurlModes
import Rendering
import Scenarios
import TrialKit
import URLSessionModes

/// A program with two client libraries, for `fetchbench costs`; all but the clients is as in the programs of one.
@main
enum PairURLSessionCurl {
    static func main() async {
        let pair = PairMode("data", of: URLSessionCatalog.all, and: "curl-stream", of: CurlCatalog.all)
        await TrialProgram.run(
            modes: [pair].compactMap(\.self), renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all,
            prepare: URLSessionTrust.follow)
    }
}
