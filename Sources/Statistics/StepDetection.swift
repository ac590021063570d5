// SPDX-License-Identifier: Apache-2.0

/// Detection of lasting changes in the level of a series, as opposed to noise and outliers.
///
/// Binary segmentation (Scott and Knott, "A cluster analysis method for grouping means in the analysis of variance",
/// Biometrics 30(3), 1974) with medians for means and absolute for squared deviations. If one cut is not enough, two
/// are tried, which detects a temporary rise: Olshen, Venkatraman, Lucito and Wigler, "Circular binary segmentation",
/// Biostatistics 5(4), 2004. A drift is found as several steps; ``drift(in:besides:)`` tells it from them.
package enum StepDetection {
    package struct Step: Codable, Hashable, Sendable {
        package let index: Int
        /// The median of the level before, back to the previous step.
        package let before: Double
        /// The median of the level after, up to the next step.
        package let after: Double

        /// The change relative to the level before; infinite if that is zero.
        package var relativeChange: Double { (after - before) / abs(before) }

        /// Returns the step at the first value that is nearer to the new level: a search has to leave three values on
        /// each side, and where the series ends after two, it dates the step at one of the old level.
        package func dated(in series: [Double]) -> Step {
            let isNew = { (place: Int) in abs(series[place] - after) < abs(series[place] - before) }
            var place = index
            while place > 1, place > index - minimumLevel, isNew(place - 1) { place -= 1 }
            while place < series.count - 1, place < index + minimumLevel, !isNew(place) { place += 1 }
            return Step(index: place, before: before, after: after)
        }
    }

    package static let minimumLevel = 3

    /// The smallest step in standard errors of the difference of two levels.
    ///
    /// The place of a step is selected for looking like one, and few points reveal little of their noise: sigmas alone
    /// take 24 to 35 % of pure noise of 6 to 12 points for a step. Under noise, the 99.5 % quantile of this ratio is at
    /// most 6.6 by simulation of normal, Laplace and Student's t (3 degrees of freedom) noise of 6 to 30 points.
    private static let standardErrors = 6.5

    /// Returns the steps of a series of finite values in time order; none for fewer than `minimumPoints` values.
    ///
    /// The levels on both sides of a step differ by at least `relativeChange` of the one before and by at least
    /// `sigmas` robust standard deviations of the values around their levels.
    ///
    /// - Parameter whole: The reference of relative changes if it is larger than the level.
    package static func steps(
        in series: [Double], whole: Double = 0, minimumPoints: Int = 6, relativeChange: Double = 0.01,
        sigmas: Double = 2.5
    ) -> [Step] {
        precondition(series.allSatisfy(\.isFinite), "a value is NaN")
        guard series.count >= max(minimumPoints, 2 * minimumLevel) else { return [] }
        let limits = Limits(whole: whole, relativeChange: relativeChange, sigmas: sigmas)
        let costs = SegmentCosts(series)
        var cuts: [Int] = []
        var open = [series.indices]
        while let range = open.popLast() {
            guard let found = accepted(in: range, of: series, costs: costs, limits: limits) else { continue }
            cuts += found
            open += SegmentFit(series, range: range, cuts: found).ranges
        }
        return steps(at: cuts.sorted(), of: series, limits: limits)
    }

    /// Returns the change along a line from the first to the last value if the line (Theil and Sen) fits the values better
    /// than the levels between steps do, by the sum of absolute deviations; otherwise `nil`.
    package static func drift(in series: [Double], besides steps: [Step]) -> Double? {
        let slopes = series.indices.flatMap { first in
            series.indices.filter { $0 > first }.map { (series[$0] - series[first]) / Double($0 - first) }
        }
        let slope = OrderStatistics.median(slopes)
        let rests = series.enumerated().map { $1 - slope * Double($0) }
        let middle = OrderStatistics.median(rests)
        let levels = SegmentFit(series, range: series.indices, cuts: steps.map(\.index))
        return rests.reduce(0) { $0 + abs($1 - middle) } < levels.deviations.reduce(0, +)
            ? slope * Double(series.count - 1) : nil
    }

    /// Returns the significant cuts of a range: one if that is enough, or two.
    private static func accepted(
        in range: Range<Int>, of series: [Double], costs: SegmentCosts, limits: Limits
    ) -> [Int]? {
        let candidates = [
            costs.bestCut(of: range, minimum: minimumLevel), costs.bestTwoCuts(of: range, minimum: minimumLevel),
        ]
        return candidates.compactMap(\.self).first { cuts in
            let fit = SegmentFit(series, range: range, cuts: cuts)
            return cuts.indices.allSatisfy {
                limits.allow($0, of: fit) && abs(fit.change($0)) >= standardErrors * fit.standardError($0)
            }
        }
    }

    /// Returns the steps that still differ enough when each level extends from one to the next.
    private static func steps(at cuts: [Int], of series: [Double], limits: Limits) -> [Step] {
        var cuts = cuts
        while true {
            let fit = SegmentFit(series, range: series.indices, cuts: cuts)
            let weakest = cuts.indices.filter { !limits.allow($0, of: fit) }
                .min { abs(fit.change($0)) < abs(fit.change($1)) }
            guard let weakest else {
                return cuts.indices.map { Step(index: cuts[$0], before: fit.levels[$0], after: fit.levels[$0 + 1]) }
            }
            cuts.remove(at: weakest)
        }
    }

    private struct Limits {
        let whole: Double
        let relativeChange: Double
        let sigmas: Double

        func allow(_ cut: Int, of fit: SegmentFit) -> Bool {
            let change = abs(fit.change(cut))
            let smallest = relativeChange * max(abs(fit.levels[cut]), whole)
            return change > 0 && change >= smallest && change >= sigmas * fit.robustSigma
        }
    }

    /// The sum of absolute deviations from the median, for every range of a series.
    struct SegmentCosts {
        private let series: [Double]
        private var costs: [Double]

        init(_ series: [Double]) {
            self.series = series
            costs = [Double](repeating: 0, count: series.count * (series.count + 1))
            var sorted: [Double] = []
            for start in series.indices {
                sorted.removeAll(keepingCapacity: true)
                for end in start..<series.count {
                    sorted.insert(series[end], at: sorted.firstIndex { $0 > series[end] } ?? sorted.count)
                    costs[start * (series.count + 1) + end + 1] = Self.cost(ofSorted: sorted)
                }
            }
        }

        func cost(_ range: Range<Int>) -> Double {
            costs[range.lowerBound * (series.count + 1) + range.upperBound]
        }

        /// Returns the single cut with the least cost and at least `minimum` values on either side.
        func bestCut(of range: Range<Int>, minimum: Int) -> [Int]? {
            guard range.count >= 2 * minimum else { return nil }
            var best = (cost: Double.infinity, cut: range.lowerBound)
            for cut in (range.lowerBound + minimum)...(range.upperBound - minimum) {
                let cost = cost(range.lowerBound..<cut) + cost(cut..<range.upperBound)
                if cost < best.cost { best = (cost, cut) }
            }
            return [best.cut]
        }

        func bestTwoCuts(of range: Range<Int>, minimum: Int) -> [Int]? {
            guard range.count >= 3 * minimum else { return nil }
            var best = (cost: Double.infinity, cuts: [range.lowerBound])
            for first in (range.lowerBound + minimum)...(range.upperBound - 2 * minimum) {
                let before = cost(range.lowerBound..<first)
                for second in (first + minimum)...(range.upperBound - minimum) {
                    let cost = before + cost(first..<second) + cost(second..<range.upperBound)
                    if cost < best.cost { best = (cost, [first, second]) }
                }
            }
            return best.cuts
        }

        private static func cost(ofSorted values: [Double]) -> Double {
            let middle = values.count / 2
            var cost = 0.0
            // The median cancels out: the upper half minus the lower half.
            for index in 0..<middle { cost += values[values.count - 1 - index] - values[index] }
            return cost
        }
    }

    /// A range of a series as levels between cuts.
    struct SegmentFit {
        let ranges: [Range<Int>]
        let levels: [Double]
        let deviations: [Double]

        init(_ series: [Double], range: Range<Int>, cuts: [Int]) {
            let ranges = zip([range.lowerBound] + cuts, cuts + [range.upperBound]).map { $0..<$1 }
            let levels = ranges.map { OrderStatistics.median(Array(series[$0])) }
            deviations = zip(ranges, levels).flatMap { range, level in series[range].map { abs($0 - level) } }
            (self.ranges, self.levels) = (ranges, levels)
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
}
