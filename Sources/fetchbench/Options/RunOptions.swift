// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

/// The flags shared by commands that store a run of one plan: destination and output.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder in which the run's folder is made (default: \(RunFolder.usualParent)).", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(help: ArgumentHelp("A name for this machine, stored with the run.", valueName: "name"))
    var label: String?

    @Flag(help: "Print nothing but the summary and errors.")
    var quiet = false

    @Flag(
        name: .customLong("progress"), inversion: .prefixedNo,
        help: ArgumentHelp(
            "Show progress: on a terminal each second, in a log a line every 30 s, or as often as FETCHBENCH_PROGRESS_SECONDS says."
        ))
    var progress = true

    var showsProgress: Bool { progress && !quiet }

    var destination: Session.Destination { Session.Destination(output: output, label: label) }
}
