// SPDX-License-Identifier: Apache-2.0

/// What a handful of values says about one figure of one case.
package struct Distribution: Hashable, Sendable {
    /// The values in ascending order; at least one.
    package let sorted: [Double]

    /// Creates a distribution, or `nil` of no values at all; values that are no numbers are a caller's bug.
    package init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        precondition(values.allSatisfy(\.isFinite), "a value that is no number cannot be ordered")
        sorted = values.sorted()
    }

    package var count: Int { sorted.count }

    package var minimum: Double { sorted[0] }

    package var maximum: Double { sorted[sorted.count - 1] }

    /// The middle value; the mean of the two middle ones where their number is even.
    package var median: Double { Self.median(ofSorted: sorted) }

    /// The median absolute deviation from the median, not scaled.
    package var medianAbsoluteDeviation: Double {
        let center = median
        return Self.median(ofSorted: sorted.map { abs($0 - center) }.sorted())
    }

    /// The arithmetic mean.
    package var mean: Double { sorted.reduce(0, +) / Double(count) }

    /// The sample standard deviation (n − 1), or `nil` of a single value.
    package var standardDeviation: Double? {
        guard count > 1 else { return nil }
        let center = mean
        let squares = sorted.reduce(0) { $0 + ($1 - center) * ($1 - center) }
        return (squares / Double(count - 1)).squareRoot()
    }

    /// The coefficient of variation: standard deviation ÷ mean; `nil` of a single value or a mean of zero.
    package var coefficientOfVariation: Double? {
        guard let standardDeviation, mean != 0 else { return nil }
        return standardDeviation / abs(mean)
    }

    private static func median(ofSorted values: [Double]) -> Double {
        let middle = values.count / 2
        return values.count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
    }
}
