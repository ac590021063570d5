// SPDX-License-Identifier: Apache-2.0

/// The values of both sides of a comparison on one host.
package struct Stratum: Hashable, Sendable {
    package var base: [Double]
    package var head: [Double]

    package init(base: [Double], head: [Double]) { (self.base, self.head) = (base, head) }

    /// The weight of its rank sum, and of each difference between its sides.
    ///
    /// It is van Elteren's: with it, a few values on a noisy host do not drown those of the others.
    fileprivate var weight: Double { 1 / Double(base.count + head.count + 1) }
}

/// The rank test of two sides that were measured on several hosts, whose values are never ranked together.
///
/// Van Elteren, "On the combination of independent two-sample tests of Wilcoxon", Bulletin of the International
/// Statistical Institute 37, 1960: the sum of the hosts' rank sums, each divided by the number of its values plus one.
/// On a single host it is ``MannWhitney``. The p-value is that of the permutation test within each host.
package enum VanElteren {
    /// The number of cells, for each step of a rank sum, into which the sum of all hosts is divided.
    private static let cellsPerStep = 256
    private static let mostCells = 1 << 17

    /// Returns the p-value of the hypothesis that both sides are alike on every host.
    ///
    /// No host has a side without values, and all values are finite. Where hosts have different numbers of values, p is
    /// rounded up by less than a percent.
    package static func p(_ strata: [Stratum], alternative: MannWhitney.Alternative) -> Double {
        precondition(!strata.isEmpty, "values of no host cannot be compared")
        if strata.count == 1 { return MannWhitney.test(strata[0].base, strata[0].head, alternative: alternative).p }
        let sums = strata.map { RankSum($0) }
        return switch alternative {
        case .greater: upperTail(sums)
        case .less: upperTail(sums.map(\.mirrored))
        case .twoSided: min(1, 2 * min(upperTail(sums), upperTail(sums.map(\.mirrored))))
        }
    }

    package static func smallestP(_ strata: [Stratum]) -> Double {
        strata.reduce(1) { $0 * MannWhitney.smallestP($1.base.count, $1.head.count) }
    }

    private struct RankSum {
        var probabilities: [Double]
        var found: Int
        /// The difference between two rank sums, in halves of a rank.
        let step: Int
        let weight: Double
        var width: Double { Double(step) / 2 * weight }

        init(_ stratum: Stratum) {
            let splits = MannWhitney.splits(stratum.base, stratum.head)
            (probabilities, found, step) = (splits.probabilities, splits.found, splits.step)
            weight = stratum.weight
        }

        var last: Int { probabilities.count - 1 }

        var mirrored: RankSum {
            var mirrored = self
            mirrored.probabilities = probabilities.reversed()
            mirrored.found = last - found
            return mirrored
        }
    }

    /// Returns the probability of a sum that is at least as large as the one found.
    ///
    /// Sums lie in cells, each host's rounded up and the one found rounded down, so that p is never too small.
    private static func upperTail(_ sums: [RankSum]) -> Double {
        let range = sums.reduce(0) { $0 + Double($1.last) * $1.width }
        // All values of each host are equal.
        guard range > 0 else { return 1 }
        let cell = cell(of: sums, range: range)
        // Less than any two different sums are apart, and more than an error of rounding.
        let slack = 1e-6
        let found = sums.reduce(0) { $0 + Double($1.found) * $1.width } / cell
        var joint = [1.0]
        for sum in sums {
            let places = (0...sum.last).map { Int((Double($0) * sum.width / cell - slack).rounded(.up)) }
            var next = [Double](repeating: 0, count: joint.count + places[sum.last])
            for (start, probability) in joint.enumerated() where probability > 0 {
                for (step, place) in places.enumerated() {
                    next[start + place] += probability * sum.probabilities[step]
                }
            }
            joint = next
        }
        let first = Int((found + slack).rounded(.down))
        return min(1, joint[min(first, joint.count)...].reduce(0, +))
    }

    /// Returns the width of a cell: where all hosts have the same number of values, one that all sums are multiples of.
    private static func cell(of sums: [RankSum], range: Double) -> Double {
        if sums.allSatisfy({ $0.weight == sums[0].weight }) {
            let step = sums.reduce(0) { MidrankSplits.greatestCommonDivisor($0, $1.step) }
            return Double(step) / 2 * sums[0].weight
        }
        let steps = sums.reduce(0) { $0 + $1.last }
        return range / Double(min(mostCells, cellsPerStep * steps))
    }
}

extension VanElteren {
    /// Returns the shift for which this test finds no difference: the weighted median of the differences within hosts.
    ///
    /// On a single host it is that of Hodges and Lehmann.
    package static func shift(_ strata: [Stratum]) -> Double {
        precondition(!strata.isEmpty, "values of no host cannot be compared")
        if strata.count == 1 { return MannWhitney.shift(strata[0].base, strata[0].head) }
        var differences: [OrderStatistics.Weighted] = []
        differences.reserveCapacity(strata.reduce(0) { $0 + $1.base.count * $1.head.count })
        for stratum in strata {
            let weight = stratum.weight
            for upper in stratum.head {
                for lower in stratum.base { differences.append(.init(value: upper - lower, weight: weight)) }
            }
        }
        return OrderStatistics.median(differences)
    }
}
