// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClientModes
import Rendering
import Scenarios
import TrialKit

@main
enum TrialAsyncHTTPClient {
    static func main() async {
        await TrialProgram.run(
            modes: AsyncHTTPClientCatalog.all, renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all)
    }
}
