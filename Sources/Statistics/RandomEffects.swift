// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The mean of a change over hosts like those measured, each of which has a true change of its own.
///
/// Hartung and Knapp, "A refined method for the meta-analysis of controlled clinical trials with binary outcome",
/// Statistics in Medicine 20, 2001, with the spread between hosts of Paule and Mandel, "Consensus values and weighting
/// factors", Journal of Research of the National Bureau of Standards 87(5), 1982.
package struct RandomEffects: Hashable, Sendable {
    /// The number of hosts below which the spread between hosts cannot be estimated.
    package static let fewestHosts = 3

    package let mean: Double
    package let interval: ClosedRange<Double>
    /// The standard deviation of the true changes between hosts (τ).
    package let deviation: Double

    /// Returns `nil` for fewer than three hosts.
    /// - Parameters:
    ///   - changes: The change on each host.
    ///   - variances: The squared standard error of each change; zero is taken for a hundredth of their mean, since a
    ///     host whose few values are equal is not free of noise.
    package init?(_ changes: [Double], variances: [Double], confidence: Double) {
        precondition(changes.count == variances.count, "each change has an error")
        precondition(variances.allSatisfy { $0 >= 0 && $0.isFinite }, "a variance is zero or more")
        precondition(confidence > 0 && confidence < 1, "an interval of a confidence")
        guard changes.count >= Self.fewestHosts else { return nil }
        let usual = variances.reduce(0, +) / Double(variances.count)
        let variances = variances.map { usual > 0 ? max($0, usual / 100) : 1 }
        let between = usual > 0 ? Self.betweenVariance(changes, variances) : Self.sampleVariance(changes)
        let weights = variances.map { 1 / ((usual > 0 ? $0 : 0) + between) }
        guard weights.allSatisfy(\.isFinite) else {
            // All hosts agree to the last bit.
            (mean, interval, deviation) = (changes[0], changes[0]...changes[0], 0)
            return
        }
        mean = Self.mean(changes, weights)
        deviation = between.squareRoot()
        let freedom = changes.count - 1
        // At least that of the errors within hosts: by chance hosts may agree better than their errors allow.
        let spread = max(1, Self.heterogeneity(changes, weights) / Double(freedom))
        let error = (spread / weights.reduce(0, +)).squareRoot()
        let width = StudentDistribution.upperQuantile((1 - confidence) / 2, freedom: freedom) * error
        interval = mean - width...mean + width
    }

    /// The variance between hosts that explains as much heterogeneity as there is, by bisection.
    private static func betweenVariance(_ changes: [Double], _ variances: [Double]) -> Double {
        let freedom = Double(changes.count - 1)
        func excess(_ between: Double) -> Double {
            heterogeneity(changes, variances.map { 1 / ($0 + between) }) - freedom
        }
        guard excess(0) > 0 else { return 0 }
        // With a variance of the sum of squares, no more than the freedom is left.
        var low = 0.0
        var high = sampleVariance(changes) * freedom
        while true {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { return middle }
            if excess(middle) > 0 { low = middle } else { high = middle }
        }
    }

    /// The weighted sum of squares around the weighted mean (Q).
    private static func heterogeneity(_ changes: [Double], _ weights: [Double]) -> Double {
        let center = mean(changes, weights)
        return zip(changes, weights).reduce(0) { $0 + $1.1 * ($1.0 - center) * ($1.0 - center) }
    }

    private static func mean(_ values: [Double], _ weights: [Double]) -> Double {
        zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / weights.reduce(0, +)
    }

    private static func sampleVariance(_ values: [Double]) -> Double {
        heterogeneity(values, values.map { _ in 1 }) / Double(values.count - 1)
    }

    package enum StudentDistribution {
        /// Returns the probability of a value above `t`, which is zero or more.
        ///
        /// The finite series of Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
        package static func upperTail(_ t: Double, freedom: Int) -> Double {
            precondition(
                t >= 0 && freedom > 0, "a value that is not negative, and a positive number of degrees of freedom")
            let angle = atan2(t, Double(freedom).squareRoot())
            let (sine, squared) = (sin(angle), cos(angle) * cos(angle))
            let isOdd = !freedom.isMultiple(of: 2)
            var term = isOdd ? cos(angle) : 1
            var sum = 0.0
            for power in stride(from: isOdd ? 3 : 2, through: freedom, by: 2) {
                sum += term
                term *= squared * Double(power - 1) / Double(power)
            }
            let within = isOdd ? 2 / Double.pi * (angle + sine * sum) : sine * sum
            return (1 - within) / 2
        }

        /// Returns the value exceeded with the probability `tail`, below one half, by bisection.
        package static func upperQuantile(_ tail: Double, freedom: Int) -> Double {
            precondition(tail > 0 && tail < 0.5, "the probability of an upper tail")
            var low = 0.0
            var high = 1.0
            while upperTail(high, freedom: freedom) > tail { high *= 2 }
            while true {
                let middle = low + (high - low) / 2
                guard middle > low, middle < high else { return middle }
                if upperTail(middle, freedom: freedom) > tail { low = middle } else { high = middle }
            }
        }
    }
}
