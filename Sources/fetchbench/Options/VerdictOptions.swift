// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Judging
import Measuring
import Reports
import Runs

/// The flags that all judging commands share.
struct VerdictOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What to print: \(Usage.names(of: Formats.ofJudgements)).", valueName: "formats"),
        completion: .list(Formats.ofJudgements.map { $0.name }))
    var format: [String] = ["table"]
    @Flag(help: "A finding that cannot be compared is said and does not fail.")
    var tolerateIncomparable = false
    @Option(
        help: ArgumentHelp(
            "The folder in which the folder of this measurement is made (default: \(RunFolder.usualParent)).",
            valueName: "folder"), completion: .directory)
    var output: String?
    @Option(help: ArgumentHelp("A name for this machine, stored with the measurement.", valueName: "name"))
    var label: String?
    @Flag(help: "Print nothing but the verdict and errors.")
    var quiet = false

    func validate() throws {
        _ = try formats()
    }

    func formats() throws -> [any TextRenderer<Judgement>] {
        try Usage.formats(format, among: Formats.ofJudgements) { $0.name }
    }

    var destination: Session.Destination { Session.Destination(output: output, label: label) }
}
