// SPDX-License-Identifier: Apache-2.0

/// A confidence interval of the median.
package enum MedianInterval {
    /// The number of values above which the binomial distribution is approximated by the normal one.
    private static let mostExact = 1000

    /// Returns the interval between two values that contains the median with at least this confidence.
    ///
    /// It is `nil` for too few values: fewer than six at 95 %.
    ///
    /// It assumes no distribution: the number of values below the median is binomial. Conover, "Practical Nonparametric
    /// Statistics", 3rd edition, 1999, section 3.2.
    package static func interval(ofSorted values: [Double], confidence: Double = 0.95) -> ClosedRange<Double>? {
        precondition(confidence > 0 && confidence < 1, "an interval of a confidence")
        let rank = values.count > mostExact ? nearRank(values.count, confidence) : exactRank(values.count, confidence)
        guard rank > 0 else { return nil }
        return values[rank - 1]...values[values.count - rank]
    }

    /// Returns the largest rank, from 1, whose tails fit the confidence, or 0.
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
