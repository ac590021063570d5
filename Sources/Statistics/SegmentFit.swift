// SPDX-License-Identifier: Apache-2.0

/// A range of a series as levels between cuts.
struct SegmentFit {
    let ranges: [Range<Int>]
    let levels: [Double]
    /// The distance of each value from the level of its part.
    private let deviations: [Double]

    init(_ series: [Double], range: Range<Int>, cuts: [Int]) {
        let ranges = zip([range.lowerBound] + cuts, cuts + [range.upperBound]).map { $0..<$1 }
        let levels = ranges.map { OrderStatistics.median(Array(series[$0])) }
        deviations = zip(ranges, levels).flatMap { range, level in series[range].map { abs($0 - level) } }
        self.ranges = ranges
        self.levels = levels
    }

    func change(_ cut: Int) -> Double { levels[cut + 1] - levels[cut] }

    /// The standard deviation of normal noise with this median absolute deviation.
    ///
    /// Rousseeuw and Croux, "Alternatives to the median absolute deviation", JASA 88(424), 1993: 1.4826 · MAD.
    var robustSigma: Double { 1.4826 * OrderStatistics.median(deviations) }

    /// Returns the standard error of the difference of two neighbouring levels, from the mean absolute deviation.
    ///
    /// Normal noise has a mean absolute deviation of √(2 ÷ π) = 1 ÷ 1.2533 of its standard deviation. Unlike the
    /// median, the mean is not biased by values that are the level of a short part; outliers count as three times the
    /// upper quartile (winsorising: Huber and Ronchetti, "Robust Statistics", 2nd edition, 2009, section 1.7).
    func standardError(_ cut: Int) -> Double {
        let quartile = deviations.sorted()[(3 * deviations.count + 3) / 4 - 1]
        let most = quartile > 0 ? 3 * quartile : .infinity
        let freedom = Double(max(1, deviations.count - levels.count))
        let sigma = 1.2533 * deviations.reduce(0) { $0 + min($1, most) } / freedom
        return sigma * (1 / Double(ranges[cut].count) + 1 / Double(ranges[cut + 1].count)).squareRoot()
    }
}
