// SPDX-License-Identifier: Apache-2.0

/// All splits of ranked values into two sides of given sizes, which are equally likely if both sides are alike.
///
/// The splits are counted, not listed: value by value in ascending order, the probability that so many of the values so
/// far belong to one side and add up to such a sum. Streitberg and Röhmel, "Exact distributions for permutation and
/// rank tests", Statistical Software Newsletter 12(1), 1986; here with probabilities instead of counts. Only positive
/// terms are added, so that the relative error stays below 1e-12 even for tiny probabilities.
struct MidrankSplits {
    /// The probabilities of a sum at least, or at most, as large as the observed one.
    struct Tails {
        var atLeast: Double
        var atMost: Double
        var isExact = true

        fileprivate var exchanged: Tails { Tails(atLeast: atMost, atMost: atLeast, isExact: isExact) }
    }

    /// The maximum number of additions; 100 values against 100 need fewer.
    private static let mostAdditions = 200_000_000
    /// The number of random splits if counting all would take too long.
    private static let drawnSplits = 99_999

    let ranks: [Int]
    /// The number of ranks in the side whose sum is tested.
    let chosenCount: Int

    func tails(of sum: Int) -> Tails {
        let total = ranks.reduce(0, +)
        // The sums of both sides add up to the total, so the smaller side is enough.
        guard 2 * chosenCount <= ranks.count else {
            return MidrankSplits(ranks: ranks, chosenCount: ranks.count - chosenCount).tails(of: total - sum).exchanged
        }
        // The shorter tail is added up; the upper tail is the lower one of the mirrored ranks.
        guard 2 * sum * ranks.count <= 2 * total * chosenCount else {
            let top = ranks[ranks.count - 1]
            let mirrored = MidrankSplits(ranks: ranks.reversed().map { top - $0 }, chosenCount: chosenCount)
            return mirrored.tails(of: chosenCount * top - sum).exchanged
        }
        let step = ranks.reduce(0) { Self.greatestCommonDivisor($0, $1 - ranks[0]) }
        // All values are equal, and so are all splits.
        guard step > 0 else { return Tails(atLeast: 1, atMost: 1) }
        let excess = (sum - ranks[..<chosenCount].reduce(0, +)) / step
        guard ranks.count * chosenCount <= Self.mostAdditions / (excess + 1) else { return drawnTails(of: sum) }
        let lower = probabilities(places: ranks.map { ($0 - ranks[0]) / step }, upTo: excess)
        let atMost = lower.reduce(0, +)
        return Tails(atLeast: min(1, 1 - atMost + lower[excess]), atMost: min(1, atMost))
    }

    /// Returns the probabilities of sums that are 0, 1, … `last` above the smallest.
    private func probabilities(places: [Int], upTo last: Int) -> [Double] {
        let width = last + 1
        let below = places.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
        // Row k: k of the values so far are chosen; the column is their sum minus that of the k smallest.
        var rows = [Double](repeating: 0, count: (chosenCount + 1) * width)
        rows[0] = 1
        rows.withUnsafeMutableBufferPointer { rows in
            for (index, place) in places.enumerated() {
                let left = places.count - index
                // Rows with fewer values could not become full any more.
                for row in stride(from: min(chosenCount, index + 1), through: max(0, chosenCount - left + 1), by: -1) {
                    let stays = Double(left - chosenCount + row) / Double(left)
                    let most = min(last, below[index + 1] - below[index + 1 - row] - below[row])
                    let start = row * width
                    for sum in start...start + most { rows[sum] *= stays }
                    guard row > 0 else { continue }
                    let joins = Double(chosenCount - row + 1) / Double(left)
                    let shift = place - places[row - 1]
                    guard shift <= most else { continue }
                    let distance = width + shift
                    for sum in start + shift...start + most { rows[sum] += joins * rows[sum - distance] }
                }
            }
        }
        return Array(rows[(chosenCount * width)...])
    }

    /// Estimates the tails from random splits, the same ones for the same values.
    ///
    /// The observed split is one of them, so that p is never zero: Davison and Hinkley, "Bootstrap Methods and their
    /// Application", 1997, section 4.3.
    private func drawnTails(of sum: Int) -> Tails {
        var generator = SeededGenerator(seed: 1947)
        var order = ranks
        var (atLeast, atMost) = (1, 1)
        for _ in 0..<Self.drawnSplits {
            var drawn = 0
            for place in 0..<chosenCount {
                let rest = UInt64(order.count - place)
                order.swapAt(place, place + Int(generator.next().multipliedFullWidth(by: rest).high))
                drawn += order[place]
            }
            if drawn >= sum { atLeast += 1 }
            if drawn <= sum { atMost += 1 }
        }
        let all = Double(Self.drawnSplits + 1)
        return Tails(atLeast: Double(atLeast) / all, atMost: Double(atMost) / all, isExact: false)
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}
