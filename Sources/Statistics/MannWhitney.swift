// SPDX-License-Identifier: Apache-2.0

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

    /// Returns the smallest one-sided p for these numbers of values: every head value is above every base value.
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
}

/// The ranks of both sides' values.
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
