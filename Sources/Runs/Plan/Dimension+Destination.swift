// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The file system on which the file of a mode has to end.
    static let destination = words(
        "destination", kind: "destination",
        "File systems for the files of modes: same (as TMPDIR), other (see --destination-folder) (default: same).",
        valueName: "places", suiteKey: "destinations",
        note: [
            "On another file system a file cannot be renamed: modes that move it (download tasks) copy it in the kernel and",
            "remove the first one; the others write it there directly. On tmpfs, the file is memory that cannot be reclaimed.",
        ], \.destination
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) writes to the trial's own folder" }
        guard cell.mode.abilities.contains(.file) else {
            return "mode \(cell.mode.name) does not store the body in a file"
        }
        guard cell.cell.conditions.scenario == .none else {
            return "a scenario stores its files in the trial's own folder"
        }
        guard !cell.model.takesPieces || !cell.mode.abilities.contains(.pieces) else {
            return "mode \(cell.mode.name) streams the body to \(cell.model.name) and writes no file"
        }
        return nil
    }
}
