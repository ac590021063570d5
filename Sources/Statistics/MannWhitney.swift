// SPDX-License-Identifier: Apache-2.0

/// The Mann–Whitney test: whether one side's values tend to be larger than the other's.
///
/// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than the other",
/// Annals of Mathematical Statistics 18(1), 1947.
package struct MannWhitney: Hashable, Sendable {
    /// What is held against the hypothesis that both sides are alike.
    package enum Alternative: String, Codable, Hashable, Sendable, CaseIterable {
        /// The head tends to be larger.
        case greater
        /// The head tends to be smaller.
        case less
        /// The head tends to be either.
        case twoSided
    }

    /// In how many pairs of a head and a base value the head's is larger; equal ones count half.
    package let u: Double
    /// How probable a `u` at least this far in the alternative's direction is when both sides are alike.
    package let p: Double
    /// Whether `p` counts arrangements; else it is the normal approximation, for ties or very many values.
    package let isExact: Bool

    /// Up to this many pairs of values the arrangements are counted: 100 values against 100.
    package static let mostExactPairs = 10_000

    /// Tests the head against the base; both have values, and all of them are finite.
    package static func test(_ base: [Double], _ head: [Double], alternative: Alternative) -> MannWhitney {
        precondition(!base.isEmpty && !head.isEmpty, "a side without values cannot be compared")
        precondition((base + head).allSatisfy(\.isFinite), "a value that is no number has no rank")
        let ranking = Ranking(base: base, head: head)
        let pairs = Double(base.count) * Double(head.count)
        let isExact = !ranking.hasTies && base.count * head.count <= mostExactPairs
        let tail = { (u: Double) -> Double in
            isExact
                ? RankSumDistribution(base.count, head.count).probability(ofAtLeast: Int(u))
                : approximateTail(u, base.count, head.count, tieTerm: ranking.tieTerm)
        }
        let p =
            switch alternative {
            case .greater: tail(ranking.u)
            case .less: tail(pairs - ranking.u)
            case .twoSided: 2 * tail(max(ranking.u, pairs - ranking.u))
            }
        return MannWhitney(u: ranking.u, p: min(p, 1), isExact: isExact)
    }

    /// The smallest one-sided p that so many values can reach: every head value above every base value.
    package static func smallestP(_ baseCount: Int, _ headCount: Int) -> Double {
        (1...headCount).reduce(1) { $0 * Double($1) / Double(baseCount + $1) }
    }

    /// The normal approximation of P(U ≥ u), corrected for ties and for continuity.
    ///
    /// Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd edition, 2014, section 4.1.
    private static func approximateTail(_ u: Double, _ first: Int, _ second: Int, tieTerm: Double) -> Double {
        let pairs = Double(first) * Double(second)
        let all = Double(first) + Double(second)
        let variance = pairs / 12 * (all + 1 - tieTerm / (all * (all - 1)))
        guard variance > 0 else { return 1 }
        return NormalDistribution.upperTail((u - pairs / 2 - 0.5) / variance.squareRoot())
    }
}

/// Two sides in one order.
private struct Ranking {
    /// The pairs in which the head's value is larger; equal ones count half.
    let u: Double
    /// The sum of t³ − t over the groups of t equal values.
    let tieTerm: Double
    /// Whether any two values are equal.
    var hasTies: Bool { tieTerm > 0 }

    init(base: [Double], head: [Double]) {
        let values = (base.map { (value: $0, isHead: false) } + head.map { (value: $0, isHead: true) })
            .sorted { $0.value < $1.value }
        var u = 0.0
        var tieTerm = 0.0
        var baseBelow = 0
        var start = 0
        while start < values.count {
            let end = values[start...].firstIndex { $0.value != values[start].value } ?? values.count
            let heads = values[start..<end].count { $0.isHead }
            let bases = end - start - heads
            u += Double(heads) * (Double(baseBelow) + Double(bases) / 2)
            let size = Double(end - start)
            tieTerm += size * size * size - size
            baseBelow += bases
            start = end
        }
        self.u = u
        self.tieTerm = tieTerm
    }
}
