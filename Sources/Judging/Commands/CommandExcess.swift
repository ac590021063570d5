// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Runs
import Texts
import TrialKit

package struct CommandExcess: Hashable, Sendable {
    package let name: String
    package let limit: ByteCount
    /// The number of runs above the limit.
    package let count: Int
    package let runs: Int
    /// The number of the run with the highest peak.
    package let trial: Int
    package let peak: ByteCount
    /// The largest process of that run, if it has several.
    package let process: ProcessGroup?

    package var text: String {
        let most = process.map { ", of it \(ByteText.mebibytes($0.peak)) by \($0.name)" } ?? ""
        return "\(name): \(count) of \(runs) runs held more than the limit of \(ByteText.mebibytes(limit)); "
            + "run \(trial) the most, \(ByteText.mebibytes(peak))\(most)"
    }
}

/// Checks every measured run against a limit, including failed ones.
enum CommandGate {
    static func excesses(in rows: [CaseSummary], limit: ByteCount?) -> [CommandExcess] {
        guard let limit else { return [] }
        return rows.compactMap { row in
            let runs = row.trials.filter { $0.report?.command != nil }
            let over = runs.filter { $0.commandPeak > limit }
            guard let worst = over.max(by: { $0.commandPeak < $1.commandPeak }) else { return nil }
            let trace = worst.report?.command
            return CommandExcess(
                name: row.cell.title, limit: limit, count: over.count, runs: runs.count, trial: worst.number,
                peak: worst.commandPeak,
                process: (trace?.processCount ?? 0) > 1 ? trace.flatMap { ProcessGroup.all(in: $0).first } : nil)
        }
    }

    /// Returns a warning for each command that may exceed the limit by the error bound of its peak.
    static func closeCalls(in rows: [CaseSummary], limit: ByteCount?) -> [String] {
        guard let limit else { return [] }
        return rows.compactMap { row in
            let runs = row.trials.filter { $0.report?.command != nil }
            guard !runs.contains(where: { $0.commandPeak > limit }),
                let close = runs.first(where: { $0.commandPeak + $0.commandBound > limit })
            else { return nil }
            return "\(row.cell.title): run \(close.number) is within the limit as far as it was seen, "
                + "\(ByteText.mebibytes(close.commandPeak)); certain is that it held no more than "
                + ByteText.mebibytes(close.commandPeak + close.commandBound)
        }
    }
}

extension Trial {
    fileprivate var commandPeak: ByteCount { report?.command?.peak.resident ?? .zero }
    fileprivate var commandBound: ByteCount { report?.command?.peak.errorBound ?? .zero }
}
