// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

/// The observation of a promise: one word, and the figures behind it.
package struct Observation: Codable, Hashable, Sendable {
    /// The word: always the same on one toolchain, unless chance decides.
    package var word: Verdict
    /// The figures as text; times and sizes may differ between runs.
    package var detail: String

    package init(_ word: Verdict, _ detail: String) {
        (self.word, self.detail) = (word, detail)
    }

    package static func decide(_ holds: Bool, else word: Verdict = .broken, _ detail: String) -> Observation {
        Observation(holds ? .holds : word, detail)
    }

    static func missing(_ what: String) -> Observation {
        Observation(.notTried, "\(what) is missing")
    }
}

extension Ending {
    /// SIGHUP, SIGINT, SIGKILL and SIGTERM come from users and from the OOM killer, not from the API.
    private static let foreign: Set<Int> = [1, 2, 9, 15]

    /// Returns the observation that the ending alone implies, or `nil` if the evidence has to be judged.
    package func observation(complaint: String, limit: Duration, requests: Int, lastStep: String?) -> Observation? {
        let seen = requests == 1 ? "1 request" : "\(requests) requests"
        switch self {
        case .exited(0): return nil
        case .exited(let status):
            let reason = complaint.isEmpty ? "" : ": \(complaint)"
            return Observation(.notTried, "the probe gave up with status \(status)\(reason)")
        case .signalled(let number) where Self.foreign.contains(number):
            return Observation(.notTried, "somebody else ended the child with signal \(number)")
        case .signalled(let number):
            let reason = complaint.isEmpty ? "" : ": \(complaint)"
            let name = signalName(Int32(truncatingIfNeeded: number))
            return Observation(.traps, "ended by signal \(number) (\(name)) after \(seen) at the origin\(reason)")
        case .killedAtLimit:
            let step = lastStep.map { "; last step: \($0)" } ?? ""
            return Observation(
                .deadlocks, "killed after \(limit.components.seconds) s; the origin had seen \(seen)\(step)")
        case .killedOverMemory(let reached):
            return Observation(.notTried, "killed at \(ByteText.mebibytes(reached))")
        case .wroteTooMuch(let limit):
            return Observation(.notTried, "it wrote more than \(limit) bytes")
        case .notStarted(let reason): return Observation(.notTried, reason)
        }
    }
}

/// The figures of the kernel and the origin at one mark of a probe.
package struct Reading: Codable, Hashable, Sendable {
    package var mark: String
    /// The time in nanoseconds of the monotonic clock.
    package var time: Int
    /// The processor time, and the time in which its threads were ready and had no processor, in nanoseconds; `nil` in
    /// older tables, and the latter on kernels that do not tell it.
    package var processorNanoseconds, queuedNanoseconds: Int?
    /// The kernel's high-water mark of the resident memory; `nil` in older tables and where there is none.
    package var peakResidentBytes: Int?
    package var residentBytes: Int
    package var anonymousBytes: Int
    package var descriptors: Int
    package var threads: Int
    package var files: [SeenFile]
    package var requests: Int
    /// The bytes of bodies that the origin's kernel had taken.
    package var bytesSent: Int

    package init(
        _ mark: String, time: Int = 0, processorNanoseconds: Int? = nil, queuedNanoseconds: Int? = nil,
        residentBytes: Int = 0, peakResidentBytes: Int? = nil, anonymousBytes: Int = 0, descriptors: Int = 8,
        threads: Int = 4, files: [SeenFile] = [], requests: Int = 0, bytesSent: Int = 0
    ) {
        (self.mark, self.time, self.residentBytes) = (mark, time, residentBytes)
        (self.processorNanoseconds, self.queuedNanoseconds) = (processorNanoseconds, queuedNanoseconds)
        self.peakResidentBytes = peakResidentBytes
        (self.anonymousBytes, self.descriptors) = (anonymousBytes, descriptors)
        (self.threads, self.files, self.requests) = (threads, files, requests)
        self.bytesSent = bytesSent
    }

    private enum CodingKeys: String, CodingKey {
        case mark, descriptors, threads, files, requests
        case time = "time_ns"
        case processorNanoseconds = "processor_ns"
        case queuedNanoseconds = "queued_ns"
        case residentBytes = "resident_bytes"
        case peakResidentBytes = "peak_resident_bytes"
        case anonymousBytes = "anonymous_bytes"
        case bytesSent = "bytes_sent"
    }
}

/// The outcome of a promise in one word, which `--expect` compares.
package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
    case holds
    case asItIs = "as it is"
    case broken, absent, blocks, hangs, deadlocks, traps, hazard
    case notTried = "not tried"

    package var meaning: String {
        switch self {
        case .holds: "a documented promise was kept"
        case .asItIs: "observed as described; no documentation promises it"
        case .broken: "against a document, or a fault that upstream accepted: the API is there, and did something else"
        case .absent: "nothing in this toolchain could keep it: not declared, a stub, or left out of the build"
        case .blocks: "unrelated work waited until a slow consumer returned"
        case .hangs: "the caller received no callback, while other requests of the same session completed"
        case .deadlocks: "nothing in the process went on; it was killed at its time limit"
        case .traps: "the process crashed"
        case .hazard: "no documentation promises it, and code that relies on it gets wrong data or a failure"
        case .notTried: "nothing was found out; the row says why"
        }
    }

    package var isKept: Bool { self == .holds || self == .asItIs }
}
