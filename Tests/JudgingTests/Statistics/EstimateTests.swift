// SPDX-License-Identifier: Apache-2.0

import Foundation
import Statistics
import Testing

@Suite struct OrderStatisticsTests {
    @Test func quantilesAgreeWithNumPy() throws {
        for reference in try Reference.load().quantiles {
            let found = OrderStatistics.quantile(reference.probability, ofSorted: reference.values)
            #expect(agree(found, reference.quantile, within: 1e-12))
        }
    }

    @Test func medianIsTheMiddleOfTheSorted() throws {
        var noise = Noise(seed: 1)
        for count in 1...60 {
            for levels in [2.0, 5, 1e9] {
                let values = (0..<count).map { _ in (noise.normal() * levels).rounded() }
                let expected = try #require(Distribution(values)).median
                #expect(OrderStatistics.median(values) == expected)
            }
        }
    }
}

@Suite struct HodgesLehmannTests {
    @Test func agreesWithNumPyOnEveryDataSet() throws {
        let comparisons = try Reference.load().comparisons
        for reference in comparisons {
            let shift = MannWhitney.shift(reference.base, reference.head)
            #expect(agree(shift, reference.shift, within: 1e-12), "\(reference.name)")
        }
        #expect(comparisons.count >= 50)
    }

    @Test func oneWildValueMovesNothing() {
        let base = (0..<15).map { 100 + Double($0) }
        var head = base.map { $0 + 3 }
        head[14] = 1e9
        #expect(abs(MannWhitney.shift(base, head) - 3) <= 1)
    }

    @Test func growthsMayBeNoneAndNegative() {
        #expect(MannWhitney.shift([0, -4096, 0, 4096], [65536, 61440, 65536, 69632]) == 65536)
    }
}

@Suite struct BootstrapTests {
    @Test func sameDrawsGiveTheIntervalOfNumPy() throws {
        for reference in try Reference.load().bootstraps {
            let interval = interval(of: reference)
            #expect(agree(interval.lowerBound, reference.low, within: 1e-12))
            #expect(agree(interval.upperBound, reference.high, within: 1e-12))
        }
    }

    @Test func otherDrawsGiveNearlyTheIntervalOfSciPy() throws {
        var compared = 0
        for reference in try Reference.load().bootstraps {
            guard let low = reference.scipyLow, let high = reference.scipyHigh else { continue }
            var generator = SeededGenerator(seed: reference.seed + 100)
            let interval = Bootstrap.interval(
                [Stratum(base: reference.base, head: reference.head)], confidence: reference.confidence,
                resamples: 5000,
                generator: &generator, statistic: VanElteren.shift)
            #expect(abs(interval.lowerBound - low) < 0.1 * (high - low))
            #expect(abs(interval.upperBound - high) < 0.1 * (high - low))
            compared += 1
        }
        #expect(compared == 4)
    }

    @Test func theSeedDecides() throws {
        let reference = try #require(Reference.load().bootstraps.last)
        var other = SeededGenerator(seed: reference.seed + 1)
        let interval = interval(of: reference)
        #expect(interval == self.interval(of: reference))
        let different = Bootstrap.interval(
            [Stratum(base: reference.base, head: reference.head)], resamples: reference.resamples, generator: &other,
            statistic: VanElteren.shift)
        #expect(interval != different)
    }

    @Test func intervalHoldsTheTruthAsOftenAsItSays() {
        var noise = Noise(seed: 5)
        var generator = SeededGenerator(seed: 6)
        var held = 0
        for _ in 0..<400 {
            let base = (0..<20).map { _ in noise.normal() }
            let head = (0..<20).map { _ in 1 + noise.normal() }
            let interval = Bootstrap.interval(
                [Stratum(base: base, head: head)], confidence: 0.9, resamples: 200, generator: &generator,
                statistic: VanElteren.shift)
            held += interval.contains(1) ? 1 : 0
        }
        #expect((340...384).contains(held), "\(held) of 400 at 90 %")
    }

    private func interval(of reference: Reference.BootstrapInterval) -> ClosedRange<Double> {
        var generator = SeededGenerator(seed: reference.seed)
        return Bootstrap.interval(
            [Stratum(base: reference.base, head: reference.head)], confidence: reference.confidence,
            resamples: reference.resamples,
            generator: &generator, statistic: VanElteren.shift)
    }
}

@Suite struct HolmCorrectionTests {
    @Test func agreesWithTheClosurePrinciple() throws {
        for reference in try Reference.load().holms {
            let found = JudgedFamily.holmAdjusted(reference.values)
            #expect(found.count == reference.adjusted.count)
            for (p, expected) in zip(found, reference.adjusted) { #expect(agree(p, expected, within: 1e-12)) }
        }
    }

    @Test func noneStayNone() { #expect(JudgedFamily.holmAdjusted([]).isEmpty) }

    @Test func invalidProbabilitiesTrap() async {
        await #expect(processExitsWith: .failure) { _ = JudgedFamily.holmAdjusted([0.5, .nan]) }
    }
}

@Suite struct SmallestDetectableChangeTests {
    @Test func isTheFormula() {
        #expect(abs(SmallestDetectableChange.relative(cv: 0.01, n: 2) - 0.0395) < 1e-15)
        #expect(abs(SmallestDetectableChange.relative(cv: 0.03, n: 30) - 0.030_596_5) < 1e-6)
        #expect(SmallestDetectableChange.relative(cv: 0, n: 12) == 0)
    }

    @Test func fewerTrialsThanNeededSeeLess() {
        for cv in [0.0004, 0.003, 0.01, 0.03, 0.21] {
            for change in [0.01, 0.018, 0.05] {
                let needed = SmallestDetectableChange.trialsNeeded(cv: cv, change: change)
                #expect(SmallestDetectableChange.relative(cv: cv, n: needed) <= change)
                #expect(needed == 1 || SmallestDetectableChange.relative(cv: cv, n: needed - 1) > change)
            }
        }
        #expect(SmallestDetectableChange.trialsNeeded(cv: 0, change: 0.01) == 1)
        #expect(SmallestDetectableChange.trialsNeeded(cv: 1e9, change: 1e-9) == 1_000_000_000)
    }

    @Test func nineInTenChangesOfThisSizeAreSeen() {
        var noise = Noise(seed: 8)
        let change = SmallestDetectableChange.relative(cv: 0.01, n: 30)
        let seen = (0..<1000).count { _ in
            let base = (0..<30).map { _ in 1 + 0.01 * noise.normal() }
            let head = (0..<30).map { _ in 1 + change + 0.01 * noise.normal() }
            return MannWhitney.test(base, head, alternative: .greater).p <= 0.005
        }
        #expect((860...940).contains(seen), "\(seen) of 1000")
    }
}

@Suite struct RobustRegressionTests {
    @Test func agreesWithSciPy() throws {
        let lines = try Reference.load().lines
        #expect(lines.count >= 20)
        for reference in lines {
            let line = try RobustRegression(x: reference.x, y: reference.y, confidence: reference.confidence)
            #expect(agree(line.slope, reference.slope, within: 1e-12))
            #expect(abs(line.intercept - reference.intercept) < 1e-9)
            #expect(agree(line.slopeInterval.lowerBound, reference.low, within: 1e-12))
            #expect(agree(line.slopeInterval.upperBound, reference.high, within: 1e-12))
        }
    }

    @Test func oneWildPointDoesNotTurnTheLine() throws {
        let sizes = (1...12).map { Double($0) * 1_048_576 }
        var peaks = sizes.map { 3e6 + 2 * $0 }
        peaks[7] *= 10
        let line = try RobustRegression(x: sizes, y: peaks)
        #expect(abs(line.slope - 2) < 1e-9)
        #expect(abs(line.value(at: 0) - 3e6) < 1e-3)
        #expect(line.slopeInterval.contains(2))
    }

    @Test func constantOrdinatesAreALevelLine() throws {
        let line = try RobustRegression(x: [1, 4, 16, 64], y: [5, 5, 5, 5])
        #expect(line.slope == 0 && line.slopeInterval == 0...0 && line.intercept == 5)
    }

    @Test func seriesThatNoLineFitsAreRefused() {
        #expect(throws: StatisticsError.verticalLine) { try RobustRegression(x: [2, 2], y: [1, 3]) }
        #expect(throws: StatisticsError.tooFewPoints(found: 1, needed: 2)) { try RobustRegression(x: [2], y: [1]) }
        #expect(throws: StatisticsError.tooFewPoints(found: 0, needed: 2)) { try RobustRegression(x: [], y: []) }
        #expect(throws: StatisticsError.unevenPoints(abscissas: 2, ordinates: 1)) {
            try RobustRegression(x: [2, 3], y: [1])
        }
        #expect(throws: StatisticsError.pointNotFinite(index: 1)) {
            try RobustRegression(x: [2, 3, 4], y: [1, .infinity, 2])
        }
    }
}

struct MedianIntervalTests {
    /// The ranks of Conover's and other tables of the sign test: for each number of values the lower rank at 95 %.
    @Test(arguments: [
        (6, 1), (7, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (17, 5), (20, 6), (25, 8), (30, 10), (40, 14),
        (50, 18), (100, 40),
    ])
    func theRanksAreThoseOfTheTables(count: Int, rank: Int) {
        let values = (1...count).map(Double.init)
        #expect(OrderStatistics.MedianInterval.interval(ofSorted: values) == Double(rank)...Double(count + 1 - rank))
    }

    @Test(arguments: 0...5)
    func fewerThanSixValuesHaveNone(count: Int) {
        #expect(OrderStatistics.MedianInterval.interval(ofSorted: (0..<count).map(Double.init)) == nil)
    }

    @Test func theNormalDistributionTakesOverWithoutALeap() throws {
        let width = { (count: Int) throws -> Double in
            let interval = try #require(OrderStatistics.MedianInterval.interval(ofSorted: (1...count).map(Double.init)))
            return interval.upperBound - interval.lowerBound
        }
        #expect(try abs(width(1001) - width(1000)) <= 3)
        #expect(try width(20000) > 270 && width(20000) < 285)
    }
}

struct Noise {
    enum Shape: CaseIterable {
        case normal
        case laplace
        case studentT3
        case pages
    }

    private(set) var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func uniform() -> Double {
        (Double(generator.next() >> 11) + 1) / 9_007_199_254_740_992
    }

    mutating func flip() -> Bool { generator.next() >> 63 == 0 }

    /// A standard normal number: Box and Muller, 1958.
    mutating func normal() -> Double {
        (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
    }

    mutating func value(_ shape: Shape) -> Double {
        switch shape {
        case .normal: normal()
        case .laplace: (flip() ? 1 : -1) * log(uniform()) / 2.0.squareRoot()
        case .studentT3: normal() / ((pow(normal(), 2) + pow(normal(), 2) + pow(normal(), 2)) / 3).squareRoot()
        case .pages: (normal() * 4).rounded() / 4
        }
    }
}
