// SPDX-License-Identifier: Apache-2.0

/// Detection of lasting changes in the level of a series, as opposed to noise and outliers.
///
/// Binary segmentation (Scott and Knott, "A cluster analysis method for grouping means in the analysis of variance",
/// Biometrics 30(3), 1974) with medians for means and absolute for squared deviations. If one cut is not enough, two
/// are tried, which detects a temporary rise: Olshen, Venkatraman, Lucito and Wigler, "Circular binary segmentation",
/// Biostatistics 5(4), 2004. A drift is reported as several steps.
package enum StepDetection {
    package struct Step: Codable, Hashable, Sendable {
        /// The index of the first value of the new level.
        package let index: Int
        /// The median of the level before, back to the previous step.
        package let before: Double
        /// The median of the level after, up to the next step.
        package let after: Double

        /// The change relative to the level before; infinite if that is zero.
        package var relativeChange: Double { (after - before) / abs(before) }
    }

    /// The smallest number of values in a level.
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
}
