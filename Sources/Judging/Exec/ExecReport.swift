// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Support

/// What was measured of commands, under what, and what it comes to: all that a renderer needs.
package struct ExecReport: Sendable {
    /// What made it: `fetchbench 0.1.0`.
    package let tool: String
    /// When it was begun, in UTC as ISO 8601.
    package let startedAt: String
    /// When it was done, or `nil` where it was stopped.
    package let finishedAt: String?
    /// What was to be measured.
    package let plan: ExecPlan
    /// The machine.
    package let environment: MachineEnvironment
    /// All runs, those that warmed up among them.
    package let trials: [ExecTrial]
    /// What was measured of each case, in their order.
    package let rows: [ExecRow]
    /// The others against the reference.
    package let comparisons: [ExecComparison]
    /// The commands that are over the limit.
    package let excesses: [ExecExcess]

    /// Works everything out.
    package init(
        tool: String, startedAt: String, finishedAt: String?, plan: ExecPlan, environment: MachineEnvironment,
        trials: [ExecTrial]
    ) {
        self.tool = tool
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.plan = plan
        self.environment = environment
        self.trials = trials
        rows = plan.cases.map { ExecRow($0, trials, plan.settings) }
        comparisons = ExecJudge(seed: plan.settings.seed).comparisons(of: rows, against: plan.reference)
        excesses = ExecGate.excesses(in: trials, of: plan.cases, limit: plan.settings.limit)
    }

    /// Whether every command has all of its runs.
    package var isComplete: Bool {
        rows.allSatisfy { $0.failure == nil && $0.trials.count == plan.settings.trials }
    }

    /// What went wrong, a command each.
    package var failures: [String] {
        rows.compactMap { row in row.failure.map { "\(row.cell.name): \($0.failureText)" } }
    }

    /// What a reader has to know of these runs beside the figures.
    package var doubts: [String] {
        ExecGate.closeCalls(in: trials, of: plan.cases, limit: plan.settings.limit)
            + rows.flatMap { ignoredFailures(of: $0) + outlived(in: $0) + polled(in: $0) + undecided(in: $0) }
    }

    private func ignoredFailures(of row: ExecRow) -> [String] {
        let failed = row.trials.filter { $0.outcome.kind != .completed }
        return failed.first.map {
            ["\(row.cell.name): \(failed.count) of \(row.trials.count) runs count that failed: \($0.outcome.detail)"]
        } ?? []
    }

    private func outlived(in row: ExecRow) -> [String] {
        let names = Set(row.trials.flatMap { $0.measurement?.outlived ?? [] }).sorted()
        guard !names.isEmpty else { return [] }
        return [
            "\(row.cell.name): left running by the command and killed after 200 ms: \(names.joined(separator: ", "))"
        ]
    }

    private func polled(in row: ExecRow) -> [String] {
        guard let polled = row.trials.compactMap(\.measurement).first(where: { $0.method == .polled }) else {
            return []
        }
        // Of several processes nothing bounds what was missed.
        let bound = polled.processCount == 1 ? " (at most \(ByteText.mebibytes(polled.peak.errorBound)))" : ""
        return [
            "\(row.cell.name): the peaks were polled, and what a process held after its last reading is missed\(bound): "
                + (polled.methodReason ?? "no reason is known")
        ]
    }

    private func undecided(in row: ExecRow) -> [String] {
        row.trials.compactMap { $0.measurement?.undecided }.max().map {
            ["\(row.cell.name): \(CommandTrace.doubt(of: $0))"]
        } ?? []
    }
}

extension ExecTrial {
    /// What went wrong, and when: `run 3: ended with status 1: words`.
    package var failureText: String { (isWarmup ? "warm-up run " : "run ") + "\(number): \(outcome.detail)" }
}
