// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

/// The flags shared by commands that store a run of one plan: destination and output.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder for the run's folder (default: \(RunFolder.usualParent)).", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(help: ArgumentHelp("Name of this machine, stored with the run (default: none).", valueName: "name"))
    var label: String?

    @Flag(help: "Print only the summary and errors.")
    var quiet = false

    @OptionGroup var color: ColorOptions

    @Flag(
        name: .customLong("progress"), inversion: .prefixedNo,
        help: ArgumentHelp(
            "Show progress: every second on a terminal, otherwise after 1 s and every 30 s (FETCHBENCH_PROGRESS_SECONDS)."
        ))
    var progress = true

    func validate() throws {
        try Usage.checkFolder(output)
    }

    var showsProgress: Bool { progress && !quiet }

    var destination: Session.Destination { Session.Destination(output: output, label: label) }
}
