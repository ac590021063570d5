// SPDX-License-Identifier: Apache-2.0

/// How the Mann–Whitney count U is distributed when both sides are alike and no two values are equal.
///
/// The largest of all values belongs either to the first side, and then lies above all of the second, or to the
/// second side. So P(u; m, n) = m ÷ (m + n) · P(u − n; m − 1, n) + n ÷ (m + n) · P(u; m, n − 1): Mann and Whitney
/// (1947), section 3, with counts divided by the number of arrangements. Only positive terms are added, so that the
/// relative error grows with m + n roundings and stays below 1e-13, however small the probability is.
package struct RankSumDistribution {
    /// How many values each side has.
    private let counts: (Int, Int)

    /// Creates the distribution for two sides of so many values, at least one each.
    package init(_ first: Int, _ second: Int) {
        precondition(first > 0 && second > 0, "a side without values cannot be compared")
        counts = (first, second)
    }

    /// The probability of `u` or more.
    package func probability(ofAtLeast u: Int) -> Double {
        let pairs = counts.0 * counts.1
        // U and pairs − U are distributed alike, and the shorter tail is the one to add up.
        let isUpperHalf = 2 * u > pairs
        let last = isUpperHalf ? pairs - u : u - 1
        guard last >= 0 else { return isUpperHalf ? 0 : 1 }
        let tail = probabilities(upTo: last).reduce(0, +)
        return isUpperHalf ? tail : 1 - tail
    }

    /// The probabilities of 0, 1, … `last`.
    package func probabilities(upTo last: Int) -> [Double] {
        let (first, second) = counts
        let width = last + 1
        // One row for each number of values on the second side; the rows of one value fewer on the first side are
        // overwritten from the right, where nothing reads them any more.
        var rows = [Double](repeating: 0, count: (second + 1) * width)
        for row in 0...second { rows[row * width] = 1 }
        for one in 1...first {
            for other in 1...second {
                let above = Double(one) / Double(one + other)
                let below = Double(other) / Double(one + other)
                let row = other * width
                for u in stride(from: last, through: 0, by: -1) {
                    let shifted = u >= other ? rows[row + u - other] : 0
                    rows[row + u] = above * shifted + below * rows[row - width + u]
                }
            }
        }
        return Array(rows[(second * width)...])
    }
}
