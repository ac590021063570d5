// SPDX-License-Identifier: Apache-2.0

import Foundation
package import MemProbe
import TrialKit

/// How a process ended that was asked for its costs, as the harness saw it.
package struct CostAnswer: Sendable {
    /// The instant before it was spawned, on the clock that every process of the machine shares, in nanoseconds.
    package var spawnedNanoseconds: Int
    /// Its exit status, or `nil` where a signal ended it.
    package var exitStatus: Int32?
    /// The signal that ended it, or `nil`.
    package var signal: Int32?
    /// After how many seconds the harness killed it, or `nil` where it ended by itself.
    package var killedAfterSeconds: Double?
    /// What it wrote to standard output.
    package var output: [UInt8]
    /// Why it ended, as far as it said so on standard error: see ``LastWords``.
    package var complaint: String

    package init(
        spawnedNanoseconds: Int, exitStatus: Int32? = 0, signal: Int32? = nil, killedAfterSeconds: Double? = nil,
        output: [UInt8], complaint: String = ""
    ) {
        self.spawnedNanoseconds = spawnedNanoseconds
        self.exitStatus = exitStatus
        self.signal = signal
        self.killedAfterSeconds = killedAfterSeconds
        self.output = output
        self.complaint = complaint
    }

    /// The trial that the answer is.
    /// - Parameter body: how long the body has to be.
    /// - Throws: ``CostFailure`` where the process did not end well, fetched nothing, or says what cannot be.
    package func trial(fetching body: ByteCount) throws(CostFailure) -> CostTrial {
        if let killedAfterSeconds {
            throw CostFailure("no answer within \(CSV.text(killedAfterSeconds)) s: killed")
        }
        if let signal { throw CostFailure("ended by a signal: \(SignalName.text(of: signal))" + words) }
        guard exitStatus == 0 else { throw CostFailure(refusal) }
        guard let report = try? JSONDecoder().decode(CostReport.self, from: Data(output)) else {
            throw CostFailure("its answer is no account of costs" + words)
        }
        if let failure = report.failure { throw CostFailure("the fetch failed: \(failure.code): \(failure.detail)") }
        guard let fetched = report.fetched, report.body == body else {
            throw CostFailure("it fetched \(report.body?.exactText ?? "nothing") instead of \(body.exactText)")
        }
        // The clock is the machine's: a start before the spawn is made up.
        guard spawnedNanoseconds <= report.start.timeNanoseconds,
            report.start.timeNanoseconds <= fetched.timeNanoseconds
        else { throw CostFailure("its readings are in no order of time") }
        return CostTrial(spawnedNanoseconds: spawnedNanoseconds, start: report.start, fetched: fetched)
    }

    private var words: String { complaint.isEmpty ? "" : " (\(complaint))" }

    /// What a program says that was made before there were costs.
    private var refusal: String {
        let status = exitStatus.map { "exited with status \($0)" } ?? "ended"
        let isOlder = complaint.contains("takes no argument but --describe") && !complaint.contains("--costs")
        return status + words + (isOlder ? ": it is older than `fetchbench costs`; build it anew" : "")
    }
}
