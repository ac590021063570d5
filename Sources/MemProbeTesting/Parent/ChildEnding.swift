// SPDX-License-Identifier: Apache-2.0

import Texts

package enum ChildEnding: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It was still there when its time was over, and held so much.
    case timedOut(seconds: Int, holding: ChildMemory? = nil)
    /// The test was cancelled, or its time limit was over.
    case cancelled
    /// It never began; the text says why.
    case notStarted(String)

    /// Whether it ended as a run of tests with issues does.
    package var isRed: Bool { self == .exited(1) }

    /// What is wrong with it, or `nil` where it ended as a run of tests does: green or with issues.
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
