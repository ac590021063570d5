// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The file system on which the file of a mode has to end.
    static let destination = words(
        "destination", kind: "destination",
        "File system on which the file of a mode has to end: same (as TMPDIR), other (--destination-folder, or one that is found).",
        valueName: "places", suiteKey: "destinations",
        note: [
            "On another file system a file cannot be renamed: modes that move it (download tasks) copy it in the kernel and",
            "remove the first one, the others write it there at once. On tmpfs the file is memory that cannot be reclaimed.",
        ], \.destination
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) has its file in the trial's own folder" }
        guard cell.mode.abilities.contains(.file) else {
            return "mode \(cell.mode.name) leaves the body in no file that could end elsewhere"
        }
        guard cell.cell.conditions.scenario == .none else {
            return "a scenario has its files in the trial's own folder"
        }
        guard !cell.model.takesPieces || !cell.mode.abilities.contains(.pieces) else {
            return "mode \(cell.mode.name) hands \(cell.model.name) the body in pieces, and writes no file"
        }
        return nil
    }
}
