// SPDX-License-Identifier: Apache-2.0

/// Descriptive statistics of a few values.
package struct Distribution: Hashable, Sendable {
    /// The values in ascending order; at least one.
    package let sorted: [Double]

    /// Returns `nil` for no values; a value that is not finite is a programming error.
    package init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        precondition(values.allSatisfy(\.isFinite), "a value is NaN and cannot be ordered")
        sorted = values.sorted()
    }

    package var count: Int { sorted.count }

    package var minimum: Double { sorted[0] }

    package var maximum: Double { sorted[sorted.count - 1] }

    /// The middle value, or the mean of the two middle ones.
    package var median: Double { Self.median(ofSorted: sorted) }

    /// The median absolute deviation from the median, unscaled.
    package var medianAbsoluteDeviation: Double {
        let center = median
        return Self.median(ofSorted: sorted.map { abs($0 - center) }.sorted())
    }

    package var mean: Double { sorted.reduce(0, +) / Double(count) }

    /// The sample standard deviation (n − 1), or `nil` for a single value.
    package var standardDeviation: Double? {
        guard count > 1 else { return nil }
        let center = mean
        let squares = sorted.reduce(0) { $0 + ($1 - center) * ($1 - center) }
        return (squares / Double(count - 1)).squareRoot()
    }

    /// The standard deviation ÷ the mean, or `nil` for a single value or a mean of zero.
    package var coefficientOfVariation: Double? {
        guard let standardDeviation, mean != 0 else { return nil }
        return standardDeviation / abs(mean)
    }

    private static func median(ofSorted values: [Double]) -> Double {
        let middle = values.count / 2
        return values.count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
    }
}
