// SPDX-License-Identifier: Apache-2.0

import NIOModes
import Rendering
import Scenarios
import TrialKit

@main
enum TrialNIO {
    static func main() async {
        await TrialProgram.run(modes: NIOCatalog.all, renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all)
    }
}
