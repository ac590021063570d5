// SPDX-License-Identifier: Apache-2.0

package enum OrderStatistics {
    /// Returns the middle value, or the mean of the two middle ones.
    ///
    /// It selects instead of sorting, as a bootstrap calls it thousands of times:
    /// Hoare, "Algorithm 65: Find", CACM 4(7), 1961.
    package static func median(_ values: [Double]) -> Double {
        precondition(!values.isEmpty, "no value lies in the middle of none")
        var values = values
        let middle = values.count / 2
        select(middle, in: &values)
        guard values.count.isMultiple(of: 2) else { return values[middle] }
        var below = values[0]
        for index in 1..<max(middle, 1) where values[index] > below { below = values[index] }
        return (below + values[middle]) / 2
    }

    package struct Weighted: Hashable, Sendable {
        package var value: Double
        package var weight: Double
    }

    /// Returns the value with half of the weight on either side, or the mean of two of which that is true.
    package static func median(_ values: [Weighted]) -> Double {
        precondition(!values.isEmpty, "no value lies in the middle of none")
        if values.allSatisfy({ $0.weight == values[0].weight }) { return median(values.map(\.value)) }
        let half = values.reduce(0) { $0 + $1.weight } / 2
        // More than weights that are added in another order differ by.
        let slack = half * 1e-12
        var rest = values
        var below = 0.0
        var above = Double.infinity
        while true {
            let pivot = rest[rest.count / 2].value
            let less = rest.filter { $0.value < pivot }
            let weight = less.reduce(below) { $0 + $1.weight }
            let upTo = rest.reduce(weight) { $0 + ($1.value == pivot ? $1.weight : 0) }
            if weight >= half - slack {
                (rest, above) = (less, pivot)
            } else if upTo < half - slack {
                rest = rest.filter { $0.value > pivot }
                below = upTo
            } else if upTo > half + slack {
                return pivot
            } else {
                let next = rest.reduce(above) { $1.value > pivot ? min($0, $1.value) : $0 }
                return (pivot + next) / 2
            }
        }
    }

    /// Returns a quantile, interpolated linearly between the neighbouring ranks.
    ///
    /// Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50(4),
    /// 1996: the default of numpy and R.
    package static func quantile(_ probability: Double, ofSorted values: [Double]) -> Double {
        precondition(!values.isEmpty && (0...1).contains(probability), "a probability, and at least one value")
        let position = probability * Double(values.count - 1)
        let index = min(Int(position), values.count - 1)
        guard index + 1 < values.count else { return values[index] }
        return values[index] + (position - Double(index)) * (values[index + 1] - values[index])
    }

    /// Moves the value of a rank to its place, with no larger ones to its left and no smaller ones to its right.
    private static func select(_ rank: Int, in values: inout [Double]) {
        var low = 0
        var high = values.count - 1
        while low < high {
            let pivot = values[rank]
            var left = low
            var right = high
            while left <= right {
                while values[left] < pivot { left += 1 }
                while pivot < values[right] { right -= 1 }
                guard left <= right else { break }
                values.swapAt(left, right)
                left += 1
                right -= 1
            }
            if right < rank { low = left }
            if rank < left { high = right }
        }
    }

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
            let rank =
                values.count > mostExact ? nearRank(values.count, confidence) : exactRank(values.count, confidence)
            guard rank > 0 else { return nil }
            return values[rank - 1]...values[values.count - rank]
        }

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
}

package struct Distribution: Hashable, Sendable {
    package let sorted: [Double]

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

package enum Bootstrap {
    /// Returns the percentile interval of a statistic of two sides; both of each host are resampled independently.
    ///
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, sections 8.3 (two samples) and 13.3
    /// (percentiles). The same generator yields the same interval.
    package static func interval(
        _ strata: [Stratum], confidence: Double = 0.99, resamples: Int = 2000, generator: inout SeededGenerator,
        statistic: ([Stratum]) -> Double
    ) -> ClosedRange<Double> {
        precondition(
            strata.allSatisfy { !$0.base.isEmpty && !$0.head.isEmpty }, "a side without values cannot be drawn from")
        precondition(confidence > 0 && confidence < 1 && resamples > 0, "an interval of a confidence, from resamples")
        var drawn = strata
        var statistics: [Double] = []
        statistics.reserveCapacity(resamples)
        for _ in 0..<resamples {
            for (index, stratum) in strata.enumerated() {
                draw(from: stratum.base, into: &drawn[index].base, with: &generator)
                draw(from: stratum.head, into: &drawn[index].head, with: &generator)
            }
            statistics.append(statistic(drawn))
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

package enum ComparedSide: String, Codable, Hashable, Sendable {
    case base
    case head
}

package enum StatisticsError: Error, Hashable, Sendable {
    case empty(ComparedSide)
    case notFinite(ComparedSide, index: Int)
    /// The reference of relative changes is zero, negative or not a number.
    case noScale(Double)
    case tooFewPoints(found: Int, needed: Int)
    case unevenPoints(abscissas: Int, ordinates: Int)
    case pointNotFinite(index: Int)
    case verticalLine
}

extension StatisticsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty(let side): "the \(side.rawValue) has no values"
        case .notFinite(let side, let index): "value \(index + 1) of the \(side.rawValue) is infinite or not a number"
        case .noScale(let scale): "changes are relative to a whole above 0, and that of the base is \(Self.text(scale))"
        case .tooFewPoints(let found, let needed): "a line needs \(needed) points, and there are \(found)"
        case .unevenPoints(let abscissas, let ordinates):
            "each point has an abscissa and an ordinate, and there are \(abscissas) of the one and \(ordinates) of the other"
        case .pointNotFinite(let index): "point \(index + 1) has a coordinate that is infinite or not a number"
        case .verticalLine: "all points have the same abscissa, so that no line can be drawn through them"
        }
    }

    /// Returns a number without a fraction if it is whole.
    private static func text(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
