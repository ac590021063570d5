// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandConsole
import Judging
import Measuring
import Reports
import Runs

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

/// The flag `--budget` of the commands that judge what they measure.
struct BudgetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Limit for every case, such as 'peak <= 30MiB', or for some: 'hero/data/*: k <= 2.2'; repeatable (default: none).",
            valueName: "budget"))
    var budget: [String] = []

    func checked(of metrics: MetricCatalog) throws -> [String] {
        for text in budget {
            do {
                _ = try Budget(parsing: text, of: metrics)
            } catch {
                throw ValidationError("--budget: \(SafeText.forTerminal("\(error)"))")
            }
        }
        return budget
    }

    /// Rejects budgets beside a stored plan, which has its own.
    func checkBeside(resume: String?, flag: String = "--resume") throws {
        guard resume != nil, !budget.isEmpty else { return }
        throw ValidationError("\(flag) uses the stored budgets and cannot be combined with --budget")
    }
}
