// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Statistics
import Testing

/// Compares with figures of NumPy 2.4.6 and SciPy 1.17.1.
///
///     python3 -c 'import numpy as n, scipy.stats as s, sys; v = n.array(eval(sys.argv[1]), float); print(n.median(v),
///     s.median_abs_deviation(v), v.mean(), v.std(ddof=1), v.std(ddof=1) / abs(v.mean()))' '[5, 1, 4]'
struct DistributionTests {
    struct Reference: Sendable {
        let values: [Double]
        let median, deviation, mean, standardDeviation, variation: Double
    }

    static let references = [
        Reference(
            values: [1, 2], median: 1.5, deviation: 0.5, mean: 1.5, standardDeviation: 0.7071067811865476,
            variation: 0.47140452079103173),
        Reference(
            values: [5, 1, 4], median: 4, deviation: 1, mean: 3.3333333333333335, standardDeviation: 2.081665999466133,
            variation: 0.6244997998398399),
        Reference(
            values: [2.5, 2.5, 2.5, 2.5], median: 2.5, deviation: 0, mean: 2.5, standardDeviation: 0, variation: 0),
        Reference(
            values: [10, 12, 23, 23, 16, 23, 21, 16], median: 18.5, deviation: 4.5, mean: 18,
            standardDeviation: 5.237229365663817, variation: 0.29095718698132317),
        Reference(
            values: [1e9, 1e9 + 1, 1e9 + 2, 1e9 + 4], median: 1_000_000_001.5, deviation: 1, mean: 1_000_000_001.75,
            standardDeviation: 1.707825127659933, variation: 1.7078251246712391e-09),
        Reference(
            values: [-4, -2, -9], median: -4, deviation: 2, mean: -5, standardDeviation: 3.605551275463989,
            variation: 0.7211102550927978),
    ]

    @Test(arguments: references)
    func figuresAgreeWithNumPyAndSciPy(reference: Reference) throws {
        let distribution = try #require(Distribution(reference.values))
        #expect(distribution.median == reference.median)
        #expect(distribution.medianAbsoluteDeviation == reference.deviation)
        #expect(abs(distribution.mean - reference.mean) <= abs(reference.mean) * 1e-15)
        let deviation = try #require(distribution.standardDeviation)
        #expect(abs(deviation - reference.standardDeviation) <= reference.standardDeviation * 1e-12)
        let variation = try #require(distribution.coefficientOfVariation)
        #expect(abs(variation - reference.variation) <= reference.variation * 1e-12)
    }

    @Test func theOrderOfTheValuesDoesNotMatter() throws {
        let values = [10.0, 12, 23, 23, 16, 23, 21, 16]
        #expect(Distribution(values) == Distribution(values.reversed()))
        let distribution = try #require(Distribution(values))
        #expect((distribution.minimum, distribution.maximum) == (10, 23))
        #expect(distribution.count == 8)
    }

    @Test func noValuesAreNoDistribution() {
        #expect(Distribution([]) == nil)
    }

    @Test func oneValueHasNoSpread() throws {
        let distribution = try #require(Distribution([3]))
        #expect((distribution.median, distribution.medianAbsoluteDeviation) == (3, 0))
        #expect(distribution.standardDeviation == nil)
        #expect(distribution.coefficientOfVariation == nil)
    }

    @Test func aMeanOfZeroHasNoCoefficientOfVariation() throws {
        let distribution = try #require(Distribution([-1, 1]))
        #expect(distribution.standardDeviation != nil)
        #expect(distribution.coefficientOfVariation == nil)
    }

    @Test func trialsThatDidNotCompleteDoNotCount() throws {
        var trials = try (1...3).map { try SyntheticTrial(number: $0, settled: .init($0 * 1000)).trial() }
        trials[2].outcome = Outcome(.timedOut, "killed after 60 s")
        let values = Metric.retainedResidentGrowth.distribution(over: TrialList(trials))
        #expect(values?.sorted == [1000, 2000])
        #expect(Metric.retainedResidentGrowth.distribution(over: TrialList([trials[2]])) == nil)
    }
}
