// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The moment at which pictures are decoded and drawn.
    static let display = words(
        "display", kind: "moment of display",
        "When pictures are shown: verified (after the body was), at-once (the moment the fetch hands it over).",
        valueName: "moments", suiteKey: "displays",
        note: [
            "Shown at once, a picture is decoded within the phase `fetch`, beside whatever the fetch has not let go of yet;",
            "of several fetches at once all are shown when the last has its body. The phase `render` is empty then.",
            "A body in memory is hashed where it is let go of: within `fetch` by models that drop it (thumbnail), else within",
            "`hold`; the CPU time of that phase holds the verify CPU.",
        ], \.display
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) shows nothing in its process" }
        guard cell.model.needsBody else {
            return "render model \(cell.model.name) shows nothing that could be shown at once"
        }
        guard cell.cell.conditions.scenario == .none else { return "a scenario shows pictures at moments of its own" }
        return nil
    }
}
