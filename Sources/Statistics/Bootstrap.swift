// SPDX-License-Identifier: Apache-2.0

/// Intervals by drawing samples from the samples.
package enum Bootstrap {
    /// The percentile interval of a statistic of two sides, each of which is drawn from on its own.
    ///
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, sections 8.3 (two samples) and 13.3
    /// (percentiles). The same generator gives the same interval.
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

    /// Draws as many values as there are, each as likely as any other, with replacement.
    ///
    /// The index is the upper half of a product, Lemire, "Fast random integer generation in an interval", ACM TOMACS
    /// 29(1), 2019; without its rejection, whose absence favours no index by more than one draw in 2⁵⁰.
    private static func draw(
        from values: [Double], into drawn: inout [Double], with generator: inout SeededGenerator
    ) {
        let count = UInt64(values.count)
        for index in drawn.indices {
            drawn[index] = values[Int(generator.next().multipliedFullWidth(by: count).high)]
        }
    }
}
