// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

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
            let name = SignalName.text(of: Int32(truncatingIfNeeded: number))
            return Observation(.traps, "ended by signal \(number) (\(name)) after \(seen) at the origin\(reason)")
        case .killedAtLimit:
            let step = lastStep.map { "; last step: \($0)" } ?? ""
            return Observation(
                .deadlocks, "killed after \(limit.components.seconds) s; the origin had seen \(seen)\(step)")
        case .killedOverMemory(let reached):
            return Observation(.notTried, "killed at \(ByteText.mebibytes(reached))")
        case .wroteTooMuch(let limit):
            return Observation(.notTried, "it wrote more than \(limit) bytes")
        case .notStarted(let reason):
            return Observation(.notTried, reason)
        }
    }
}
