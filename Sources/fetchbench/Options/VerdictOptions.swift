// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Judging
import Measuring
import Reports
import Runs

/// The flags that all judging commands share.
struct VerdictOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Output formats: \(Usage.names(of: Formats.ofJudgements)).", valueName: "formats"),
        completion: .list(Formats.ofJudgements.map { $0.name }))
    var format: [String] = ["table"]
    @Flag(help: "Warn about findings that cannot be compared instead of failing.")
    var tolerateIncomparable = false
    @Option(
        help: ArgumentHelp(
            "Folder for the measurement's folder (default: \(RunFolder.usualParent)).",
            valueName: "folder"), completion: .directory)
    var output: String?
    @Option(help: ArgumentHelp("Name of this machine, stored with the measurement (default: none).", valueName: "name"))
    var label: String?
    @Flag(help: "Print only the verdict and errors.")
    var quiet = false
    @OptionGroup var color: ColorOptions

    func validate() throws {
        try Usage.checkFolder(output)
        _ = try formats()
    }

    func formats() throws -> [any TextRenderer<Judgement>] {
        try Usage.formats(format, among: Formats.ofJudgements) { $0.name }
    }

    var destination: Session.Destination { Session.Destination(output: output, label: label) }
}
