// SPDX-License-Identifier: Apache-2.0

/// Bootstrap intervals.
package enum Bootstrap {
    /// Returns the percentile interval of a statistic of two sides, which are resampled independently.
    ///
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, sections 8.3 (two samples) and 13.3
    /// (percentiles). The same generator yields the same interval.
    package static func interval(
        _ base: [Double], _ head: [Double], confidence: Double = 0.99, resamples: Int = 2000,
        generator: inout SeededGenerator, statistic: ([Double], [Double]) -> Double
    ) -> ClosedRange<Double> {
        precondition(!base.isEmpty && !head.isEmpty, "a side without values cannot be drawn from")
        precondition(confidence > 0 && confidence < 1 && resamples > 0, "an interval of a confidence, from resamples")
        var drawnBase = base
        var drawnHead = head
        var statistics: [Double] = []
        statistics.reserveCapacity(resamples)
        for _ in 0..<resamples {
            draw(from: base, into: &drawnBase, with: &generator)
            draw(from: head, into: &drawnHead, with: &generator)
            statistics.append(statistic(drawnBase, drawnHead))
        }
        statistics.sort()
        let tail = (1 - confidence) / 2
        let low = OrderStatistics.quantile(tail, ofSorted: statistics)
        return low...max(low, OrderStatistics.quantile(1 - tail, ofSorted: statistics))
    }

    /// Draws as many values as there are, with replacement.
    ///
    /// The index is the upper half of a product, Lemire, "Fast random integer generation in an interval", ACM TOMACS
    /// 29(1), 2019; without its rejection step, which biases no index by more than one draw in 2⁵⁰.
    private static func draw(
        from values: [Double], into drawn: inout [Double], with generator: inout SeededGenerator
    ) {
        let count = UInt64(values.count)
        for index in drawn.indices {
            drawn[index] = values[Int(generator.next().multipliedFullWidth(by: count).high)]
        }
    }
}
