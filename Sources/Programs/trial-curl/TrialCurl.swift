// SPDX-License-Identifier: Apache-2.0

import CurlModes
import Rendering
import Scenarios
import TrialKit

@main
enum TrialCurl {
    static func main() async {
        await TrialProgram.run(modes: CurlCatalog.all, renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all)
    }
}
