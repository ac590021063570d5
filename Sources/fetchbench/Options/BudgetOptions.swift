// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Judging
import Runs
import Texts

/// The flag `--budget` of the commands that judge what they measure.
struct BudgetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Limit for every case, such as 'peak <= 30MiB', or for some: 'hero/data/*: k <= 2.2'; repeatable (default: none).",
            valueName: "budget"))
    var budget: [String] = []

    /// Returns the budgets, each valid for these metrics.
    func checked(of metrics: MetricCatalog) throws -> [String] {
        for text in budget {
            do throws(BudgetError) {
                _ = try Budget(parsing: text, of: metrics)
            } catch {
                throw ValidationError("--budget: \(SafeText.forTerminal("\(error)"))")
            }
        }
        return budget
    }

    /// Rejects budgets beside a stored plan, which has its own.
    func checkBeside(resume: String?) throws {
        guard resume != nil, !budget.isEmpty else { return }
        throw ValidationError("--resume uses the stored budgets and cannot be combined with --budget")
    }
}
