// SPDX-License-Identifier: Apache-2.0

/// When a command has run long enough, or holds too much.
package struct TraceLimits: Hashable, Sendable {
    /// What is to be done now.
    package enum Step: Hashable, Sendable {
        case wait
        /// Kill what is left, because the time is over.
        case killOverdue
        /// Kill what is left, because all of it together holds more than it may.
        case killOverLimit
        /// Kill what is left, because the command itself has ended and its grace too.
        case killOutlived
        /// Everything was killed long ago and something is still there.
        case giveUp
    }

    /// How long what a command leaves running may go on, in nanoseconds.
    package static let standardGrace = 200_000_000
    /// How long killed processes may take to end; only one in the middle of a disk's or network drive's work does.
    package static let patience = 10_000_000_000

    /// When the time is over, or `nil` for a command that may take any time.
    private let deadline: Int?
    private let residentLimit: ByteCount?
    private let grace: Int
    private var killTime: Int?

    package init(
        start: Int, timeout: Int?, residentLimit: ByteCount? = nil, grace: Int = TraceLimits.standardGrace
    ) {
        self.residentLimit = residentLimit
        deadline = timeout.map { start.addingReportingOverflow($0) }.map { $0.overflow ? Int.max : $0.partialValue }
        self.grace = grace
    }

    /// Whether everything was told to end.
    package var isKilling: Bool {
        killTime != nil
    }

    /// Decides what to do at a time while something still runs; each killing is asked for once.
    /// - Parameter resident: the most that all processes were seen to hold together.
    package mutating func step(at now: Int, leaderEnded: Int?, resident: ByteCount = .zero) -> Step {
        if let killTime { return now - killTime > Self.patience ? .giveUp : .wait }
        if let residentLimit, resident > residentLimit {
            killTime = now
            return .killOverLimit
        }
        if let leaderEnded {
            guard now - leaderEnded >= grace else { return .wait }
            killTime = now
            return .killOutlived
        }
        guard let deadline, now >= deadline else { return .wait }
        killTime = now
        return .killOverdue
    }
}
