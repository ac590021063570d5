// SPDX-License-Identifier: Apache-2.0

import Rendering
import Scenarios
import TrialKit
import URLSessionModes

@main
enum TrialURLSession {
    static func main() async {
        await TrialProgram.run(
            modes: URLSessionCatalog.all, renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all,
            prepare: URLSessionTrust.follow)
    }
}
