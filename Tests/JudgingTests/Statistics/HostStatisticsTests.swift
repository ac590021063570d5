// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// The test and the shift of sides that were measured on several hosts, against counting in fractions.
@Suite struct VanElterenTests {
    private func strata(_ reference: Reference.Strata) -> [Stratum] {
        zip(reference.base, reference.head).map { Stratum(base: $0, head: $1) }
    }

    @Test func agreesWithCountingInFractions() throws {
        let references = try Reference.load().strata
        #expect(references.count >= 30)
        for (index, reference) in references.enumerated() {
            let strata = strata(reference)
            let sizes = Set(strata.map { $0.base.count + $0.head.count })
            let expected = [reference.greater, reference.less, reference.twoSided]
            for (alternative, expected) in zip([MannWhitney.Alternative.greater, .less, .twoSided], expected) {
                let found = VanElteren.p(strata, alternative: alternative)
                // With equal numbers of values on all hosts p is exact, otherwise at most a little too large.
                let excess = sizes.count == 1 ? 1e-9 : 0.01
                #expect(
                    found >= expected * (1 - 1e-9) && found <= expected * (1 + excess),
                    "\(index), \(alternative): \(found), not \(expected)")
            }
        }
    }

    @Test func theShiftIsTheWeightedMedianOfDifferencesWithinHosts() throws {
        for (index, reference) in try Reference.load().strata.enumerated() {
            let found = VanElteren.shift(strata(reference))
            #expect(abs(found - reference.shift) < 1e-9, "\(index): \(found), not \(reference.shift)")
        }
    }

    @Test func oneHostIsMannWhitney() throws {
        for reference in try Reference.load().comparisons {
            let host = Stratum(base: reference.base, head: reference.head)
            #expect(
                VanElteren.p([host], alternative: .greater)
                    == MannWhitney.test(reference.base, reference.head, alternative: .greater).p)
            #expect(VanElteren.shift([host]) == MannWhitney.shift(reference.base, reference.head))
        }
    }

    /// Ranked together, the floors of the hosts would hide a change that each host shows.
    @Test func floorsOfHostsDoNotHideAChange() {
        let floors = [10.0, 500, 90]
        let strata = floors.map { floor in
            Stratum(base: (0..<8).map { floor + Double($0) }, head: (0..<8).map { floor + 9 + Double($0) })
        }
        let pooled = MannWhitney.test(strata.flatMap(\.base), strata.flatMap(\.head), alternative: .greater).p
        #expect(VanElteren.p(strata, alternative: .greater) < 1e-10)
        #expect(pooled > 0.01)
        #expect(VanElteren.shift(strata) == 9)
    }

    /// One host has nearly all base values, the other nearly all heads: their floors must not look like a change.
    @Test func unevenHostsDoNotMakeAChange() {
        let low = Stratum(base: (0..<30).map { Double($0 % 5) }, head: (0..<6).map { Double($0 % 5) })
        let high = Stratum(base: (0..<6).map { 90 + Double($0 % 5) }, head: (0..<30).map { 90 + Double($0 % 5) })
        #expect(VanElteren.p([low, high], alternative: .twoSided) > 0.5)
        #expect(VanElteren.shift([low, high]) == 0)
        #expect(MannWhitney.test(low.base + high.base, low.head + high.head, alternative: .greater).p < 1e-6)
    }

    @Test func theOrderOfHostsDoesNotMatter() throws {
        for reference in try Reference.load().strata {
            let strata = strata(reference)
            let found = VanElteren.p(strata, alternative: .greater)
            #expect(agree(found, VanElteren.p(strata.reversed(), alternative: .greater), within: 1e-9))
            #expect(VanElteren.shift(strata) == VanElteren.shift(strata.reversed()))
        }
    }

    @Test func manyValuesOnManyHostsAreCounted() {
        let strata = (0..<6).map { host in
            let sizes = (30 + host, 30 - host)
            return Stratum(
                base: (0..<sizes.0).map { Double(host * 1000 + $0 * 7 % 31) },
                head: (0..<sizes.1).map { Double(host * 1000 + $0 * 7 % 31) + 4 })
        }
        let greater = VanElteren.p(strata, alternative: .greater)
        #expect(greater < 0.01 && greater > 1e-9)
        #expect(VanElteren.p(strata, alternative: .less) > 0.9)
    }
}

@Suite struct RandomEffectsTests {
    @Test func agreesWithStatsmodels() throws {
        let references = try Reference.load().randomEffects
        #expect(references.count >= 15)
        for (index, reference) in references.enumerated() {
            let found = try #require(
                RandomEffects(reference.changes, variances: reference.variances, confidence: reference.confidence))
            #expect(agree(found.mean, reference.mean, within: 1e-8), "\(index): \(found)")
            #expect(agree(found.interval.lowerBound, reference.low, within: 1e-6), "\(index): \(found)")
            #expect(agree(found.interval.upperBound, reference.high, within: 1e-6), "\(index): \(found)")
            #expect(abs(found.deviation - reference.deviation) < 1e-6, "\(index): \(found)")
        }
    }

    @Test func twoHostsSayNothingAboutOthers() {
        #expect(RandomEffects([1, 2], variances: [1, 1], confidence: 0.95) == nil)
    }

    @Test func hostsWithoutNoiseOfTheirOwnAreAnOrdinarySample() throws {
        let found = try #require(RandomEffects([1, 2, 6], variances: [0, 0, 0], confidence: 0.95))
        // The t interval of three values: 3 ± 4.3027 × 2.6458 ÷ √3.
        #expect(abs(found.mean - 3) < 1e-12 && abs(found.deviation - 7.0.squareRoot()) < 1e-9)
        #expect(abs(found.interval.upperBound - (3 + 4.302652729911275 * (7.0 / 3).squareRoot())) < 1e-9)
        let equal = try #require(RandomEffects([2, 2, 2], variances: [0, 0, 0], confidence: 0.95))
        #expect(equal.interval == 2...2 && equal.deviation == 0)
    }

    @Test func aHostWithoutNoiseDoesNotDecideAlone() throws {
        let found = try #require(RandomEffects([0, 10, 10], variances: [0, 1, 1], confidence: 0.95))
        #expect(found.mean > 3 && found.deviation > 4)
    }

    @Test func studentsTailsAreThoseOfSciPy() throws {
        for reference in try Reference.load().studentTails {
            let found = RandomEffects.StudentDistribution.upperTail(reference.t, freedom: reference.freedom)
            #expect(abs(found - reference.tail) < 1e-12, "\(reference): \(found)")
            guard reference.t > 0, reference.tail > 1e-6 else { continue }
            let quantile = RandomEffects.StudentDistribution.upperQuantile(reference.tail, freedom: reference.freedom)
            #expect(agree(quantile, reference.t, within: 1e-6), "\(reference): \(quantile)")
        }
    }
}

@Suite struct JudgedHostsTests {
    private func host(_ floor: Double, plus change: Double, count: Int = 10) -> Stratum {
        let base = (0..<count).map { floor + Double($0 * 7 % count) * 10_000 }
        return Stratum(base: base, head: base.reversed().map { $0 + change })
    }

    private func judged(_ hosts: [Stratum], among tests: Int = 1) throws -> TwoStageJudge.Confirmation {
        var generator = SeededGenerator(seed: 1)
        return try TwoStageJudge().confirm(nil, hosts, among: tests, generator: &generator)
    }

    @Test func aChangeOnAllHostsIsFound() throws {
        let found = try judged([host(4e7, plus: 1e6), host(5e7, plus: 1.1e6), host(6e7, plus: 0.9e6)])
        #expect(found.verdict == .regressed && found.decidingHost == nil)
        #expect(abs(found.effect * 5e7 - 1e6) < 5e4)
        #expect(found.hostEffects.map { ($0 * 5e7 / 1e5).rounded() } == [10, 11, 9])
        let mean = try #require(found.acrossHosts)
        #expect(mean.interval.contains(1e6 / 5e7))
    }

    @Test func aChangeOnOneOfFiveHostsIsFoundAndNamed() throws {
        let found = try judged((0..<5).map { host(4e7, plus: $0 == 3 ? 5e6 : 0) })
        #expect(found.verdict == .regressed && found.decidingHost == 3)
        #expect(abs(found.effect) < found.threshold)
    }

    /// An improvement elsewhere must not hide a regression.
    @Test func hostsThatContradictEachOtherAreARegression() throws {
        let found = try judged([host(4e7, plus: 5e6), host(4e7, plus: -9e6), host(4e7, plus: -9e6)])
        #expect(found.verdict == .regressed && found.decidingHost == 0)
    }

    @Test func unchangedHostsAreUnchanged() throws {
        let found = try judged((0..<3).map { host(Double($0 + 2) * 2e7, plus: 0) })
        #expect(found.verdict == .unchanged && found.decidingHost == nil)
    }

    /// Where each host has few and noisy values, one of them always seems changed.
    @Test func aNoisyHostDoesNotLeaveTheOthersWithoutAnAnswer() throws {
        var noisy = host(4e7, plus: 0, count: 6)
        noisy.head = [4.2e7, 3.9e7, 4.3e7, 3.95e7, 4.25e7, 4.02e7]
        let found = try judged([noisy] + (1..<5).map { host(Double($0) * 3e7, plus: 0, count: 20) })
        #expect(abs(found.hostEffects[0]) > found.threshold && abs(found.effect) < found.threshold)
        #expect(found.verdict == .unchanged && found.decidingHost == nil, "\(found)")
    }

    @Test func aHostWithoutAFigureIsRefused() {
        #expect(throws: StatisticsError.empty(.head)) {
            try judged([host(4e7, plus: 0), Stratum(base: [1, 2, 3, 4], head: [])])
        }
        #expect(throws: StatisticsError.empty(.base)) { try judged([]) }
    }
}
