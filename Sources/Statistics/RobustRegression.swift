// SPDX-License-Identifier: Apache-2.0

/// A straight line through points, robust against outliers.
///
/// Theil, "A rank-invariant method of linear and polynomial regression analysis", 1950, and Sen, "Estimates of the
/// regression coefficient based on Kendall's tau", JASA 63(324), 1968.
package struct RobustRegression: Hashable, Sendable {
    /// The median of the slopes between any two points.
    package let slope: Double
    /// The ordinate at zero: the median ordinate minus the slope times the median abscissa.
    package let intercept: Double
    package let slopeInterval: ClosedRange<Double>

    /// Fits the line `y = intercept + slope · x` to at least two points.
    package init(x: [Double], y: [Double], confidence: Double = 0.95) throws(StatisticsError) {
        precondition(confidence > 0 && confidence < 1, "an interval of a confidence")
        try Self.check(x, y)
        var slopes: [Double] = []
        for first in x.indices {
            for second in x[..<first].indices where x[first] != x[second] {
                slopes.append((y[first] - y[second]) / (x[first] - x[second]))
            }
        }
        guard !slopes.isEmpty else { throw .verticalLine }
        slope = OrderStatistics.median(slopes)
        intercept = OrderStatistics.median(y) - slope * OrderStatistics.median(x)
        slopes.sort()
        slopeInterval = Self.interval(slopes, deviation: Self.deviation(x, y), confidence: confidence)
    }

    package func value(at x: Double) -> Double { intercept + slope * x }

    private static func check(_ x: [Double], _ y: [Double]) throws(StatisticsError) {
        guard x.count == y.count else { throw .unevenPoints(abscissas: x.count, ordinates: y.count) }
        guard x.count >= 2 else { throw .tooFewPoints(found: x.count, needed: 2) }
        if let index = x.indices.first(where: { !x[$0].isFinite || !y[$0].isFinite }) {
            throw .pointNotFinite(index: index)
        }
    }

    /// Returns the interval between two of the sorted slopes: Sen (1968), section 3, with scipy's rounding.
    private static func interval(
        _ slopes: [Double], deviation: Double, confidence: Double
    ) -> ClosedRange<Double> {
        let count = Double(slopes.count)
        let width = NormalDistribution.upperQuantile((1 - confidence) / 2) * deviation
        let upper = min(Int(((count + width) / 2).rounded(.toNearestOrEven)), slopes.count - 1)
        let lower = max(Int(((count - width) / 2).rounded(.toNearestOrEven)) - 1, 0)
        return slopes[lower]...slopes[max(lower, upper)]
    }

    /// Returns the standard deviation of Kendall's statistic, corrected for ties: Sen's (2.6).
    private static func deviation(_ x: [Double], _ y: [Double]) -> Double {
        let term = { (count: Int) -> Double in
            let count = Double(count)
            return count * (count - 1) * (2 * count + 5)
        }
        let tied = { (values: [Double]) -> Double in
            Dictionary(grouping: values) { $0 }.values.reduce(0) { $0 + term($1.count) }
        }
        return (max(0, term(x.count) - tied(x) - tied(y)) / 18).squareRoot()
    }
}
