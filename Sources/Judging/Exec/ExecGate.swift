// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Support

/// A command of which runs held more than they may.
package struct ExecExcess: Hashable, Sendable {
    /// The name of the case.
    package let name: String
    /// What no run may hold.
    package let limit: ByteCount
    /// How many runs held more.
    package let count: Int
    /// How many runs were looked at.
    package let runs: Int
    /// The number of the run that held the most.
    package let trial: Int
    /// What that run held.
    package let peak: ByteCount
    /// The process of that run that held the most, where there are several.
    package let process: ExecProcess?

    /// What was found, in words.
    package var text: String {
        let most = process.map { ", of it \(ByteText.mebibytes($0.peak)) by \($0.name)" } ?? ""
        return "\(name): \(count) of \(runs) runs held more than the limit of \(ByteText.mebibytes(limit)); "
            + "run \(trial) the most, \(ByteText.mebibytes(peak))\(most)"
    }
}

/// Holds every measured run to a limit; what only warms up may hold more.
enum ExecGate {
    /// The commands that are over the limit; those whose runs failed count as well, as far as they came.
    static func excesses(in trials: [ExecTrial], of cases: [ExecCase], limit: ByteCount?) -> [ExecExcess] {
        guard let limit else { return [] }
        return cases.compactMap { cell in
            let runs = trials.filter { $0.name == cell.name && !$0.isWarmup && $0.measurement != nil }
            let over = runs.filter { $0.peak > limit }
            guard let worst = over.max(by: { $0.peak < $1.peak }) else { return nil }
            return ExecExcess(
                name: cell.name, limit: limit, count: over.count, runs: runs.count, trial: worst.number,
                peak: worst.peak,
                process: (worst.measurement?.processCount ?? 0) > 1 ? worst.measurement?.largest : nil)
        }
    }

    /// The commands that are within the limit by less than is known of their peaks.
    static func closeCalls(in trials: [ExecTrial], of cases: [ExecCase], limit: ByteCount?) -> [String] {
        guard let limit else { return [] }
        return cases.compactMap { cell in
            let runs = trials.filter { $0.name == cell.name && !$0.isWarmup }
            guard !runs.contains(where: { $0.peak > limit }),
                let close = runs.first(where: { $0.peak + ($0.measurement?.peak.errorBound ?? .zero) > limit })
            else { return nil }
            let most = close.peak + (close.measurement?.peak.errorBound ?? .zero)
            return "\(cell.name): run \(close.number) is within the limit as far as it was seen, "
                + "\(ByteText.mebibytes(close.peak)); certain is that it held no more than \(ByteText.mebibytes(most))"
        }
    }
}

extension ExecTrial {
    fileprivate var peak: ByteCount { measurement?.peak.resident ?? .zero }
}
