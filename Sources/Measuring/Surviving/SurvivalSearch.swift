// SPDX-License-Identifier: Apache-2.0

/// The search for the smallest limit under which something succeeds, in whole MiB, one trial at a time.
///
/// Near the edge the same limit may let one trial live and another die. So the search ends at a limit that let `repeats`
/// trials live, above every limit under which one died.
package struct SurvivalSearch: Sendable {
    /// The trials that have to survive, one after another, without a failure.
    private let repeats: Int
    /// The limit beyond which the search gives up.
    private let ceiling: Int
    /// The limit to begin with.
    private let guess: Int
    /// The trials that survived, by limit.
    private var survived: [Int: Int] = [:]
    /// The highest limit under which a trial failed, or 0.
    package private(set) var highestFailed = 0

    /// - Parameters:
    ///   - guess: what it probably needs, in MiB.
    ///   - ceiling: the highest limit to try, in MiB.
    package init(guess: Int, ceiling: Int, repeats: Int) {
        precondition(ceiling > 0 && repeats > 0, "a search needs limits and trials")
        self.guess = min(max(guess, 1), ceiling)
        self.ceiling = ceiling
        self.repeats = repeats
    }

    /// The lowest limit that let trials live, above all that failed.
    private var lowestSurvived: Int? { survived.keys.filter { $0 > highestFailed }.min() }

    /// The limit of the next trial; `nil` at the end.
    package var next: Int? {
        guard let lowest = lowestSurvived else {
            if highestFailed == 0 { return guess }
            // Upwards in steps that double.
            guard highestFailed < ceiling else { return nil }
            return min(ceiling, highestFailed + max(1, highestFailed + 1 - guess))
        }
        if highestFailed == 0 {
            // Downwards in steps that double.
            guard lowest > 1 else { return hasEnough(lowest) ? nil : lowest }
            return max(1, lowest - max(1, guess + 1 - lowest))
        }
        if lowest - highestFailed > 1 { return highestFailed + (lowest - highestFailed) / 2 }
        return hasEnough(lowest) ? nil : lowest
    }

    /// The limit that was found; `nil` until the end, and if no limit up to the ceiling is enough.
    package var found: Int? {
        guard next == nil else { return nil }
        return lowestSurvived.flatMap { hasEnough($0) ? $0 : nil }
    }

    private func hasEnough(_ limit: Int) -> Bool { survived[limit, default: 0] >= repeats }

    /// Notes the end of a trial under a limit.
    package mutating func note(_ limit: Int, survived lives: Bool) {
        if lives {
            survived[limit, default: 0] += 1
        } else {
            highestFailed = max(highestFailed, limit)
        }
    }
}
