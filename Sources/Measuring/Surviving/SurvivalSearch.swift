// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The search for the smallest limit under which something succeeds, in whole MiB, one trial at a time.
///
/// Near the edge the same limit may let one trial live and another die. So the search ends at a limit that let `repeats`
/// trials live, above every limit under which one died.
package struct SurvivalSearch: Sendable {
    /// The trials that have to survive, one after another, without a failure.
    private let repeats: Int
    private let ceiling: Int
    private let guess: Int
    private var survived: [Int: Int] = [:]
    package private(set) var highestFailed = 0

    /// - Parameters:
    ///   - guess: what it probably needs, in MiB.
    ///   - ceiling: the highest limit to try, in MiB.
    package init(guess: Int, ceiling: Int, repeats: Int) {
        precondition(ceiling > 0 && repeats > 0, "a search needs limits and trials")
        self.guess = min(max(guess, 1), ceiling)
        (self.ceiling, self.repeats) = (ceiling, repeats)
    }

    private var lowestSurvived: Int? { survived.keys.filter { $0 > highestFailed }.min() }

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

    package mutating func note(_ limit: Int, survived lives: Bool) {
        if lives {
            survived[limit, default: 0] += 1
        } else {
            highestFailed = max(highestFailed, limit)
        }
    }
}

/// The search for the smallest limit that does not slow something down, in whole MiB, one trial at a time.
///
/// A program that sizes itself by its limit changes anywhere below what it is given without one, and beyond what it uses:
/// so limits are compared from the smallest up to one that hurts no more, however high, and then between the two.
package struct TimeSearch: Sendable {
    private let smallest: Int
    private let ceiling: Int
    /// The limits that are compared first, of which the last one is never reached.
    private let ladder: [Int]

    /// - Parameters:
    ///   - peak: the highest charge without a limit, in MiB.
    ///   - isMonotonic: True if more memory is never slower, so that only the end of the ladder has to be compared.
    package init(from smallest: Int, peak: Int, ceiling: Int, isMonotonic: Bool = false) {
        (self.smallest, self.ceiling) = (smallest, ceiling)
        let top = max(smallest, peak + 1)
        var ladder: [Int] = []
        var limit = isMonotonic ? top : smallest
        while limit < top {
            ladder.append(limit)
            limit += max(1, limit / 2)
        }
        self.ladder = ladder + [top]
    }

    package func next(in series: LimitSeries) -> Int? {
        let open = ladder.first { series.isHurt(series.trials(under: .mebibytes($0))) == nil }
        if let open { return open }
        let hurting = max(series.highestHurting?.limit?.wholeMebibytes ?? 0, smallest - 1)
        let above = series.limits.filter { $0.limit ?? .zero > .mebibytes(hurting) }
        guard let calm = above.first(where: { series.isHurt($0) == false }), let limit = calm.limit else {
            let most = max(hurting, ladder[ladder.count - 1])
            return most < ceiling ? min(2 * most, ceiling) : nil
        }
        // To a tenth, and to 1 MiB.
        if limit.wholeMebibytes > hurting + max(1, hurting / 10) { return (hurting + limit.wholeMebibytes) / 2 }
        if calm.survivors.count < series.repeats { return limit.wholeMebibytes }
        guard let edge = series.highestHurting, edge.failed == 0, !edge.isRefused,
            edge.survivors.count < series.repeats,
            series.slowdown(of: edge) ?? 0 <= 1 + LimitSeries.clearly
        else { return nil }
        return edge.limit?.wholeMebibytes
    }
}
