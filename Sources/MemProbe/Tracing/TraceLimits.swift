// SPDX-License-Identifier: Apache-2.0

/// The limits of a command in time and memory.
package struct TraceLimits: Hashable, Sendable {
    /// The action to take.
    package enum Step: Hashable, Sendable {
        case wait
        /// Kill the rest because of the time limit.
        case killOverdue
        /// Kill the rest because all processes together exceed the memory limit.
        case killOverLimit
        /// Kill the rest because the grace period after the command's end is over.
        case killOutlived
        /// Give up because something survived being killed.
        case giveUp
    }

    /// The time that descendants may run after the command itself, in nanoseconds.
    package static let standardGrace = 200_000_000
    /// The time that killed processes may take to end; only waiting for a disk or network drive delays it.
    package static let patience = 10_000_000_000

    /// The time limit, or `nil`.
    private let deadline: Int?
    private let grace: Int
    private var killTime: Int?

    package init(start: Int, timeout: Int?, grace: Int = TraceLimits.standardGrace) {
        deadline = timeout.map { start.addingReportingOverflow($0) }.map { $0.overflow ? Int.max : $0.partialValue }
        self.grace = grace
    }

    package var isKilling: Bool { killTime != nil }

    /// Decides what to do while something still runs; each kill is requested once.
    package mutating func step(at now: Int, leaderEnded: Int?, isOverLimit: Bool = false) -> Step {
        if let killTime { return now - killTime > Self.patience ? .giveUp : .wait }
        if isOverLimit {
            killTime = now
            return .killOverLimit
        }
        if let leaderEnded {
            if let deadline, now >= deadline, grace > Self.standardGrace {
                killTime = now
                return .killOverdue
            }
            guard now - leaderEnded >= grace else { return .wait }
            killTime = now
            return .killOutlived
        }
        guard let deadline, now >= deadline else { return .wait }
        killTime = now
        return .killOverdue
    }
}
