// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The plain commands of a run with their comparisons and limits, as renderers need them.
package struct CommandReport: Sendable {
    /// The run.
    package let run: RunRecord
    /// The settings of the commands.
    package let settings: CommandSettings
    /// The results of each command, in the order of the plan.
    package let rows: [CaseSummary]
    /// The title of the one that the others are compared with.
    package let reference: String
    /// The others against the reference.
    package let comparisons: [CommandComparison]
    /// The commands that are over the limit.
    package let excesses: [CommandExcess]

    /// Creates the report, or returns `nil` for a run without plain commands.
    package init?(_ report: Report) {
        run = report.run
        rows = report.cases.filter(\.cell.isPlain)
        guard let first = rows.first else { return nil }
        settings = run.plan.settings.commands ?? CommandSettings()
        reference = settings.reference ?? first.cell.title
        comparisons = CommandJudge(seed: run.plan.seed).comparisons(of: rows, against: reference)
        excesses = CommandGate.excesses(in: rows, limit: settings.limit)
    }

    /// A Boolean value that is true if every command completed all planned runs.
    package var isComplete: Bool {
        rows.allSatisfy { $0.failed == 0 && $0.completed == run.plan.trials }
    }

    /// The first failure of each command that failed.
    package var failures: [String] {
        rows.compactMap { row in
            row.trials.first { !$0.isCompleted }.map {
                "\(row.cell.title): run \($0.number): \($0.outcome.detail)"
            }
        }
    }

    /// Warnings about the commands, in addition to those of the run.
    package var doubts: [String] {
        CommandGate.closeCalls(in: rows, limit: settings.limit)
            + rows.compactMap(ignoredFailures)
    }

    private func ignoredFailures(of row: CaseSummary) -> String? {
        let failed = row.trials.filter { $0.isCompleted && !$0.outcome.detail.isEmpty }
        return failed.first.map {
            "\(row.cell.title): \(failed.count) of \(row.completed) runs count that failed: \($0.outcome.detail)"
        }
    }
}
