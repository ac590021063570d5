// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

/// The flags of every command that stores a run of one plan: where it goes, and what is said meanwhile.
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

    /// Whether it is said how far the run has come.
    var showsProgress: Bool { progress && !quiet }

    /// Where what is measured is stored.
    var destination: Session.Destination { Session.Destination(output: output, label: label) }
}
