// SPDX-License-Identifier: Apache-2.0

/// Between which of the values the median of what they are drawn from lies.
package enum MedianInterval {
    /// With more values than this the binomial distribution is taken for normal.
    private static let mostExact = 1000

    /// The interval between two of the sorted values that holds the median with a confidence or more; `nil` of values too
    /// few for it, which are fewer than six at 95 %.
    ///
    /// No distribution is assumed: how many values lie below the median is binomial. Conover, "Practical Nonparametric
    /// Statistics", 3rd edition, 1999, section 3.2.
    package static func interval(ofSorted values: [Double], confidence: Double = 0.95) -> ClosedRange<Double>? {
        precondition(confidence > 0 && confidence < 1, "an interval of a confidence")
        let rank = values.count > mostExact ? nearRank(values.count, confidence) : exactRank(values.count, confidence)
        guard rank > 0 else { return nil }
        return values[rank - 1]...values[values.count - rank]
    }

    /// The largest rank, from 1, that leaves no more on either side than the confidence allows; 0 where none does.
    private static func exactRank(_ count: Int, _ confidence: Double) -> Int {
        var probability = 1.0
        for _ in 0..<count { probability /= 2 }
        var below = 0.0
        for rank in 0...max(count / 2, 0) {
            below += probability
            if 2 * below > 1 - confidence { return rank }
            probability *= Double(count - rank) / Double(rank + 1)
        }
        return count / 2
    }

    private static func nearRank(_ count: Int, _ confidence: Double) -> Int {
        let width = NormalDistribution.upperQuantile((1 - confidence) / 2) * Double(count).squareRoot()
        return max(0, Int(((Double(count) - width) / 2).rounded(.down)))
    }
}
