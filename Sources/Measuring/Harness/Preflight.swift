// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import OperatingSystem
package import Runs
import TrialKit

/// Checks before the first trial.
package enum Preflight {
    /// The maximum that a trial stores in the run's folder, apart from its series.
    private static let bytesPerTrial = 24 * 1024
    private static let bytesPerSample = 64
    private static let reserve = ByteCount.mebibytes(4)

    /// Checks that there is room for the results and for the largest file of a trial.
    /// - Throws: ``FetchBenchError/diskFull(needed:available:place:)``.
    package static func checkRoom(
        for record: RunRecord, results: String, temporaryDirectory: String, destination: String? = nil
    ) throws(FetchBenchError) {
        guard access(temporaryDirectory, W_OK | X_OK) == 0 else {
            throw .file(.cannotWrite(name: "the temporary folder (TMPDIR)", errno: errno))
        }
        let plan = record.plan
        let secondsOfTrial = 2
        let stored = record.mostTrials * (bytesPerTrial + secondsOfTrial * 1000 * bytesPerSample)
        try check(ByteCount(stored) + reserve, at: results, place: "the results folder")
        let largest =
            plan.cases.compactMap { cell in
                plan.asset(of: cell)?.byteCount.map { ByteCount($0.rawValue * cell.conditions.concurrency) }
            }.max() ?? .zero
        try check(largest + reserve, at: temporaryDirectory, place: "the temporary folder (TMPDIR)")
        if let destination {
            try check(largest + reserve, at: destination, place: "the folder of --destination other")
        }
    }

    private static func check(_ needed: ByteCount, at path: String, place: String) throws(FetchBenchError) {
        guard let available = FileSystem.available(at: path), available < needed else { return }
        throw FetchBenchError.diskFull(needed: needed, available: available, place: place)
    }
}
