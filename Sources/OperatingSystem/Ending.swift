// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

package enum Ending: Codable, Hashable, Sendable {
    /// It left by itself, with this status.
    case exited(Int)
    /// A signal ended it that the harness did not send.
    case signalled(Int)
    /// It was still there when its time was over, and was killed.
    case killedAtLimit
    /// It held so much memory, more than it may, and was killed.
    case killedOverMemory(ByteCount)
    /// It wrote more than so many bytes, and was ended.
    case wroteTooMuch(limit: Int)
    /// It never began; the text says why.
    case notStarted(String)
}

extension Ending {
    /// Why a process did not end well, in words; `nil` where it did.
    /// - Parameter seconds: after how many seconds it was killed at the latest.
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
