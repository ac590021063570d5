// SPDX-License-Identifier: Apache-2.0

import RawModes
import Rendering
import Scenarios
import TrialKit

/// The trial program of the modes on a bare socket.
@main
enum TrialRaw {
    static func main() async {
        await TrialProgram.run(modes: RawCatalog.all, renderModels: RenderCatalog.all, scenarios: ScenarioCatalog.all)
    }
}
