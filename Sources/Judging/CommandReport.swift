// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The plain commands of a run with their comparisons and limits.
package struct CommandReport: Sendable {
    package let run: RunRecord
    package let settings: CommandSettings
    package let rows: [CaseSummary]
    package let reference: String
    package let comparisons: [CommandComparison]
    package let excesses: [CommandExcess]
    private let failuresAreShown: Bool

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

    package var isComplete: Bool {
        rows.allSatisfy { $0.failed == 0 && $0.completed == run.plan.trials }
    }

    /// The commands that cannot be held to the limit, with their reasons.
    package var unanswered: [String] {
        CommandGate.cutOff(in: rows, limit: settings.limit)
            + CommandGate.closeCalls(in: rows, limit: settings.limit, ofSeveralProcesses: true)
    }

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
        CommandGate.closeCalls(in: rows, limit: settings.limit, ofSeveralProcesses: false)
            + rows.compactMap(ignoredFailures)
    }

    private func ignoredFailures(of row: CaseSummary) -> String? {
        let failed = row.trials.filter { $0.isCompleted && !$0.outcome.detail.isEmpty }
        return failed.first.map {
            "\(row.cell.title): \(failed.count) of \(row.completed) included runs failed: \($0.outcome.detail)"
        }
    }

    /// Checks every measured run against a limit, including failed ones.
    enum CommandGate {
        static func excesses(in rows: [CaseSummary], limit: ByteCount?) -> [CommandExcess] {
            guard let limit else { return [] }
            return rows.compactMap { row in
                let runs = row.trials.filter { $0.report?.command != nil }
                let over = runs.filter { $0.limitedPeak > limit }
                guard let worst = over.max(by: { $0.limitedPeak < $1.limitedPeak }) else { return nil }
                let trace = worst.report?.command
                return CommandExcess(
                    name: row.cell.title, limit: limit, count: over.count, runs: runs.count,
                    run: row.place(of: worst), peak: worst.limitedPeak,
                    process: (trace?.processCount ?? 0) > 1 ? trace?.byName.first : nil)
            }
        }

        /// Returns the commands with a run for which the limit lies between the bounds of its peak.
        static func closeCalls(in rows: [CaseSummary], limit: ByteCount?, ofSeveralProcesses: Bool) -> [String] {
            guard let limit else { return [] }
            return rows.compactMap { row in
                let runs = row.trials.filter { $0.report?.command != nil }
                guard !runs.contains(where: { $0.limitedPeak > limit }),
                    let close = runs.first(where: {
                        $0.limitedPeakAtMost > limit && ($0.jointPeakAtMost != nil) == ofSeveralProcesses
                    })
                else { return nil }
                return "\(row.cell.title): run \(row.place(of: close)) was seen within the limit, at "
                    + "\(ByteText.mebibytes(close.limitedPeak)), but its peak may have been as high as "
                    + ByteText.mebibytes(close.limitedPeakAtMost)
            }
        }

        /// Returns the commands whose peak is not known, because something that they had started was killed as it still ran.
        static func cutOff(in rows: [CaseSummary], limit: ByteCount?) -> [String] {
            guard limit != nil else { return [] }
            return rows.compactMap { row in
                guard let cut = row.trials.first(where: { $0.report?.command?.outlived.isEmpty == false }) else {
                    return nil
                }
                let names = (cut.report?.command?.outlived ?? []).joined(separator: ", ")
                return
                    "\(row.cell.title): run \(row.place(of: cut)) cannot be checked against a limit, because \(names) was still running "
                    + "and was killed; --wait-for-children SECONDS waits for it"
            }
        }
    }

    package struct CommandExcess: Hashable, Sendable {
        package let name: String
        package let limit: ByteCount
        package let count: Int
        package let runs: Int
        /// The number of the run with the highest peak, among those of the command.
        package let run: Int
        package let peak: ByteCount
        package let process: OtherProcesses?

        package var text: String {
            let most = process.map { ", including \(ByteText.mebibytes($0.largestPeak)) by \($0.name)" } ?? ""
            return
                "\(name): \(count) of \(runs) runs exceeded the limit of \(ByteText.mebibytes(limit)); the largest is "
                + "run \(run) of \(runs): \(ByteText.mebibytes(peak)) without program pages\(most)"
        }
    }
}

extension CommandTrace {
    package var outlived: [String] { processes.filter(\.outlived).map(\.name) }
}

extension CaseSummary {
    /// Returns the number of a trial among those of its case, from 1; numbers of trials count those of all cases.
    func place(of trial: Trial) -> Int { trials.count { $0.number <= trial.number } }
}

extension Trial {
    /// The peak that limits are for: without program pages, where these are known.
    package var limitedPeak: ByteCount { report?.command.map { $0.netPeak ?? $0.peak.resident } ?? .zero }
    fileprivate var limitedPeakAtMost: ByteCount {
        jointPeakAtMost ?? report?.command.map { limitedPeak + $0.peak.errorBound } ?? .zero
    }
}
