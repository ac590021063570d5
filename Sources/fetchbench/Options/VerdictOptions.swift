// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging
import Reports

struct VerdictOptions: ParsableArguments {
    @OptionGroup
    var format: FormatOptions<JudgementFormats>
    @Flag(help: "Warn about findings that cannot be compared instead of failing.")
    var tolerateIncomparable = false
    @OptionGroup
    var run: RunOptions
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
}
