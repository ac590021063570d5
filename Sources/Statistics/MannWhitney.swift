// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The Mann–Whitney test of whether one side's values tend to be larger than the other's.
///
/// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than the other",
/// Annals of Mathematical Statistics 18(1), 1947. The p-value is that of the permutation test of the midrank sum, so
/// it is valid for few values and for ties, which are common because memory comes in pages.
package struct MannWhitney: Hashable, Sendable {
    /// The alternative to the hypothesis that both sides are alike.
    package enum Alternative: String, Codable, Hashable, Sendable, CaseIterable {
        /// The head tends to be larger.
        case greater
        /// The head tends to be smaller.
        case less
        /// The head tends to be larger or smaller; p is twice the smaller of the one-sided p-values, at most 1.
        case twoSided
    }

    /// The number of pairs in which the head's value is larger; ties count half.
    package let u: Double
    /// The probability of a `u` at least as extreme if both sides are alike.
    package let p: Double
    /// True if `p` covers all splits of the values; otherwise it is estimated from random ones.
    package let isExact: Bool

    /// Tests the head against the base; neither is empty, and all values are finite.
    package static func test(_ base: [Double], _ head: [Double], alternative: Alternative) -> MannWhitney {
        precondition(!base.isEmpty && !head.isEmpty, "a side without values cannot be compared")
        precondition((base + head).allSatisfy(\.isFinite), "a value is NaN and has no rank")
        let ranking = Ranking(base: base, head: head)
        let tails = MidrankSplits(ranks: ranking.ranks, chosenCount: head.count).tails(of: ranking.headSum)
        let p =
            switch alternative {
            case .greater: tails.atLeast
            case .less: tails.atMost
            case .twoSided: 2 * min(tails.atLeast, tails.atMost)
            }
        return MannWhitney(u: ranking.u, p: min(p, 1), isExact: tails.isExact)
    }

    package static func smallestP(_ baseCount: Int, _ headCount: Int) -> Double {
        (1...headCount).reduce(1) { $0 * Double($1) / Double(baseCount + $1) }
    }

    /// Returns the smallest number of values on either side that can reach a one-sided p.
    package static func fewestValues(reaching p: Double) -> Int {
        precondition(p > 0, "no number of values reaches a p of zero")
        var count = 1
        var smallest = 0.5
        while smallest > p {
            count += 1
            smallest *= Double(count) / Double(4 * count - 2)
        }
        return count
    }

    private struct Ranking {
        /// The midranks of all values in ascending order, from zero and doubled to make them whole.
        let ranks: [Int]
        let headSum: Int
        let u: Double

        init(base: [Double], head: [Double]) {
            let values = (base.map { (value: $0, isHead: false) } + head.map { (value: $0, isHead: true) })
                .sorted { $0.value < $1.value }
            var ranks: [Int] = []
            ranks.reserveCapacity(values.count)
            var sum = 0
            while ranks.count < values.count {
                let start = ranks.count
                var end = start + 1
                while end < values.count, values[end].value == values[start].value { end += 1 }
                let midrank = start + end - 1
                for index in start..<end {
                    ranks.append(midrank)
                    if values[index].isHead { sum += midrank }
                }
            }
            self.ranks = ranks
            headSum = sum
            u = Double(sum - head.count * (head.count - 1)) / 2
        }
    }
}

extension MannWhitney {
    /// Returns the probabilities of all rank sums of the head, and the place of the one found among them.
    ///
    /// `step` is the difference between a rank sum and the next, in halves of a rank; the first sum is the smallest.
    static func splits(_ base: [Double], _ head: [Double]) -> (probabilities: [Double], found: Int, step: Int) {
        let ranking = Ranking(base: base, head: head)
        let splits = MidrankSplits(ranks: ranking.ranks, chosenCount: head.count)
        guard splits.step > 0 else { return ([1], 0, 0) }
        let found = splits.steps(to: ranking.headSum)
        return (splits.allProbabilities(including: found), found, splits.step)
    }
}

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
        // All values are equal, and so are all splits.
        guard step > 0 else { return Tails(atLeast: 1, atMost: 1) }
        let excess = steps(to: sum)
        guard canCount(upTo: excess) else { return drawnTails(of: sum) }
        let lower = probabilities(upTo: excess)
        let atMost = lower.reduce(0, +)
        return Tails(atLeast: min(1, 1 - atMost + lower[excess]), atMost: min(1, atMost))
    }

    /// The greatest difference of which all differences between ranks are multiples; zero if all ranks are equal.
    var step: Int { ranks.reduce(0) { Self.greatestCommonDivisor($0, $1 - ranks[0]) } }

    func steps(to sum: Int) -> Int { (sum - ranks[..<chosenCount].reduce(0, +)) / step }

    /// Returns the probabilities of all sums, step by step from the smallest.
    /// - Parameter found: The steps to the sum that was found; if splits are drawn, it is one of them.
    func allProbabilities(including found: Int) -> [Double] {
        let last = steps(to: ranks[(ranks.count - chosenCount)...].reduce(0, +))
        if canCount(upTo: last) { return probabilities(upTo: last) }
        var counts = [Double](repeating: 0, count: last + 1)
        counts[found] = 1
        eachDrawnSum { counts[steps(to: $0)] += 1 }
        return counts.map { $0 / Double(Self.drawnSplits + 1) }
    }

    private func canCount(upTo last: Int) -> Bool {
        ranks.count * chosenCount <= Self.mostAdditions / (last + 1)
    }

    /// Returns the probabilities of sums that are 0, 1, … `last` steps above the smallest.
    private func probabilities(upTo last: Int) -> [Double] {
        let step = step
        let places = ranks.map { ($0 - ranks[0]) / step }
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
        var (atLeast, atMost) = (1, 1)
        eachDrawnSum { drawn in
            if drawn >= sum { atLeast += 1 }
            if drawn <= sum { atMost += 1 }
        }
        let all = Double(Self.drawnSplits + 1)
        return Tails(atLeast: Double(atLeast) / all, atMost: Double(atMost) / all, isExact: false)
    }

    private func eachDrawnSum(_ onSum: (Int) -> Void) {
        var generator = SeededGenerator(seed: 1947)
        var order = ranks
        for _ in 0..<Self.drawnSplits {
            var drawn = 0
            for place in 0..<chosenCount {
                let rest = UInt64(order.count - place)
                order.swapAt(place, place + Int(generator.next().multipliedFullWidth(by: rest).high))
                drawn += order[place]
            }
            onSum(drawn)
        }
    }

    static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}

package enum NormalDistribution {
    /// Returns the probability of a value above `z`.
    ///
    /// The complementary error function stays accurate far out in the tail, where 1 − Φ(z) cancels out:
    /// Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.29.
    package static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// Returns the value exceeded with the probability `tail`, by bisection to the last bit.
    package static func upperQuantile(_ tail: Double) -> Double {
        precondition(tail > 0 && tail < 1, "a probability strictly between 0 and 1")
        var low = -40.0
        var high = 40.0
        while true {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { return middle }
            if upperTail(middle) > tail { low = middle } else { high = middle }
        }
    }
}

extension MannWhitney {
    /// Returns the shift between two sides: the median of all differences between a head and a base value.
    ///
    /// Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34(2), 1963:
    /// the shift that is most plausible by this test.
    package static func shift(_ base: [Double], _ head: [Double]) -> Double {
        precondition(!base.isEmpty && !head.isEmpty, "a side without values cannot be compared")
        var differences: [Double] = []
        differences.reserveCapacity(base.count * head.count)
        for upper in head {
            for lower in base { differences.append(upper - lower) }
        }
        return OrderStatistics.median(differences)
    }
}
