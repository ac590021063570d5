// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

package enum Ending: Codable, Hashable, Sendable {
    case exited(Int)
    /// Ended by a signal that the harness did not send.
    case signalled(Int)
    case killedAtLimit
    /// Killed by the harness for holding this much memory, more than its limit.
    case killedOverMemory(ByteCount)
    case wroteTooMuch(limit: Int)
    case notStarted(String)
}

extension Ending {
    /// Returns the reason of a failure for a message, with the time limit in seconds; `nil` for status 0.
    package func obstacle(within seconds: Double) -> String? {
        switch self {
        case .exited(0): nil
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "ended by signal \(signal) (\(SignalName.text(of: Int32(signal))))"
        case .killedAtLimit: "not ended within \(CSV.text(seconds)) s: killed; if it needs more, raise --timeout"
        case .killedOverMemory(let reached): "killed when it held \(ByteText.mebibytes(reached))"
        case .wroteTooMuch(let limit): "wrote more than \(limit) bytes"
        case .notStarted(let reason): "cannot be started: \(reason)"
        }
    }
}
