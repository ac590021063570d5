// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import OperatingSystem
package import Runs
import Texts
import TrialKit

/// The end of a process that was asked for its costs.
package struct CostAnswer: Sendable {
    /// The instant before it was spawned, in nanoseconds of the clock that all processes share.
    package var spawnedNanoseconds: Int
    package var ending: Ending
    package var timeoutSeconds: Double
    /// Its standard output.
    package var output: [UInt8]
    /// The reason that it gave on standard error (see ``LastWords``).
    package var complaint: String
    package var limits = MachineLimits.current

    package init(
        spawnedNanoseconds: Int, ending: Ending = .exited(0), timeoutSeconds: Double = 30, output: [UInt8],
        complaint: String = ""
    ) {
        self.spawnedNanoseconds = spawnedNanoseconds
        self.ending = ending
        self.timeoutSeconds = timeoutSeconds
        self.output = output
        self.complaint = complaint
    }

    init(_ end: ProcessEnd, timeoutSeconds: Double) {
        self.init(
            spawnedNanoseconds: end.spawnedNanoseconds ?? 0, ending: end.ending, timeoutSeconds: timeoutSeconds,
            output: end.output, complaint: end.lastWords())
    }

    /// Returns the trial for a body of this length.
    /// - Throws: ``CostFailure`` if the process failed, fetched nothing, or reports impossible values.
    package func trial(fetching body: ByteCount) throws(CostFailure) -> CostTrial {
        if let refusal { throw CostFailure(refusal) }
        let report: CostReport
        do throws(DocumentMistake) {
            report = try ForeignDocument.decode(CostReport.self, from: output)
            let mistakes = CostCheck.mistakes(in: report, spawnedNanoseconds: spawnedNanoseconds, limits: limits)
            if let mistake = mistakes.first { throw mistake }
        } catch {
            throw CostFailure("invalid cost report: \(error)" + words)
        }
        if let failure = report.failure { throw CostFailure("the fetch failed: \(failure.code): \(failure.detail)") }
        guard let fetched = report.fetched else {
            throw CostFailure("invalid cost report: fetched is missing, and nothing failed" + words)
        }
        guard report.body == body else {
            throw CostFailure("it fetched \(report.body?.exactText ?? "nothing") instead of \(body.exactText)")
        }
        return CostTrial(spawnedNanoseconds: spawnedNanoseconds, start: report.start, fetched: fetched)
    }

    private var words: String { complaint.isEmpty ? "" : " (\(complaint))" }

    /// The reason of a failed process; `nil` for status 0.
    private var refusal: String? {
        switch ending {
        case .exited(0): return nil
        case .exited(let status):
            // The message of programs made before `costs` existed.
            let isOlder = complaint.contains("takes no argument but --describe") && !complaint.contains("--costs")
            return "exited with status \(status)\(words)"
                + (isOlder ? ": it is too old for `fetchbench costs`; rebuild it" : "")
        case .signalled(let signal): return "ended by a signal: \(SignalName.text(of: Int32(signal)))" + words
        case .killedAtLimit: return "no answer within \(CSV.text(timeoutSeconds)) s: killed"
        case .killedOverMemory(let reached): return "killed at \(ByteText.mebibytes(reached))"
        case .wroteTooMuch(let limit): return "invalid cost report: more than \(limit) bytes"
        case .notStarted(let reason): return "not started: \(reason)"
        }
    }
}
