// SPDX-License-Identifier: Apache-2.0

import Texts

package enum ChildEnding: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// Killed at its time limit, when it held this much memory.
    case timedOut(seconds: Int, holding: ChildMemory? = nil)
    /// Killed because the test was cancelled or exceeded its own time limit.
    case cancelled
    case notStarted(String)

    /// True for the status of a test run with issues.
    package var isRed: Bool { self == .exited(1) }

    /// The problem, or `nil` if it ended as a test run does, with or without issues.
    package var fault: String? {
        switch self {
        case .exited(0), .exited(1): nil
        case .exited(let status): "it left with status \(status)"
        case .killed(let signal): "it was ended by a signal: \(SignalName.text(of: signal))"
        case .timedOut(let seconds, let held):
            "it had not ended after \(seconds) s and was killed\(held.map { "; \($0.words)" } ?? "")"
        case .cancelled: "the test was cancelled or over its time limit, so the process was killed"
        case .notStarted(let reason): "it could not be started: \(reason)"
        }
    }
}
