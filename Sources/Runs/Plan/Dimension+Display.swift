// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The moment at which pictures are decoded and drawn.
    static let display = words(
        "display", kind: "moment of display",
        "When pictures are decoded: verified (after the body is verified), at-once (as soon as it arrives) (default: verified).",
        valueName: "moments", suiteKey: "displays",
        note: [
            "With --display at-once, a picture is decoded in the phase `fetch`, together with what the fetch still holds;",
            "with several concurrent fetches, all are shown when the last body is complete. The phase `render` is then empty.",
            "A body in memory is hashed when it is released: in `fetch` by models that drop it (thumbnail), otherwise in",
            "`hold`; the CPU time of that phase includes the verification.",
        ], \.display
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) does not show pictures" }
        guard cell.model.needsBody else {
            return "render model \(cell.model.name) does not show pictures"
        }
        guard cell.cell.conditions.scenario == .none else { return "a scenario decides itself when pictures are shown" }
        return nil
    }
}
