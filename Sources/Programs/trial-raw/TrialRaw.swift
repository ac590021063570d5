// SPDX-License-Identifier: Apache-2.0

import RawModes
import Rendering
import Scenarios
import TrialKit

@main
enum TrialRaw {
    static func main() async {
        await TrialProgram.run(modes: RawCatalog.all, renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all)
    }
}
