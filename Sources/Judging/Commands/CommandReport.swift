// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The plain commands of a run with their comparisons and limits.
package struct CommandReport: Sendable {
    package let run: RunRecord
    package let settings: CommandSettings
    /// The results by command, in the order of the plan.
    package let rows: [CaseSummary]
    /// The title of the command that the others are compared with.
    package let reference: String
    package let comparisons: [CommandComparison]
    package let excesses: [CommandExcess]
    private let failuresAreShown: Bool

    /// Returns `nil` for a run without plain commands.
    package init?(_ report: Report) {
        run = report.run
        failuresAreShown = report.failuresAreShown
        rows = report.cases.filter(\.cell.isPlain)
        guard let first = rows.first else { return nil }
        settings = run.plan.settings.commands ?? CommandSettings()
        reference = settings.reference ?? first.cell.title
        comparisons = CommandJudge(seed: run.plan.seed).comparisons(of: rows, against: reference)
        excesses = CommandGate.excesses(in: rows, limit: settings.limit)
    }

    /// True if every command completed all planned runs.
    package var isComplete: Bool {
        rows.allSatisfy { $0.failed == 0 && $0.completed == run.plan.trials }
    }

    /// The commands that cannot be held to the limit, with their reasons.
    package var unanswered: [String] { CommandGate.cutOff(in: rows, limit: settings.limit) }

    /// The first failure of each command, unless the reader has seen them.
    package var failures: [String] {
        guard !failuresAreShown else { return [] }
        return rows.compactMap { row in
            row.trials.first { !$0.isCompleted }.map {
                "\(row.cell.title): run \(row.place(of: $0)): \($0.outcome.detail)"
            }
        }
    }

    package var doubts: [String] {
        CommandGate.closeCalls(in: rows, limit: settings.limit)
            + rows.compactMap(ignoredFailures)
    }

    private func ignoredFailures(of row: CaseSummary) -> String? {
        let failed = row.trials.filter { $0.isCompleted && !$0.outcome.detail.isEmpty }
        return failed.first.map {
            "\(row.cell.title): \(failed.count) of \(row.completed) included runs failed: \($0.outcome.detail)"
        }
    }
}
