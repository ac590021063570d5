// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

@Suite struct TwoStageJudgeTests {
    private let judge = TwoStageJudge()

    @Test func theRuleIsTheDocumentedOne() {
        let rule = JudgementRule.interleaved
        #expect(rule.n1 == 12 && rule.n2 == 30 && rule.cleanP == 0.10 && rule.regressedP == 0.005)
        #expect(rule.singleLookP == 0.01)
        #expect(rule.minimumEffect == 0.01 && rule.minimumBytes == 64 * 1024 && rule.noiseFloor == nil)
        let stored = JudgementRule.storedBaseline
        #expect(rule.confidence == 0.99 && stored.minimumEffect == 0.02 && stored.minimumBytes == 1024 * 1024)
        #expect(stored.minimumStartBytes == 256 * 1024 && rule.minimumStartBytes == nil)
    }

    @Test func theLargestOfTheThreeThresholdsHolds() {
        var rule = JudgementRule()
        #expect(rule.threshold(scale: 1e9) == 0.01)
        #expect(rule.threshold(scale: 655_360) == 0.1)
        rule.noiseFloor = 1e7
        #expect(rule.threshold(scale: 1e9) == 0.03)
        rule.noiseFloor = 1e4
        #expect(rule.threshold(scale: 1e9) == 0.01)
        #expect(rule.threshold(scale: 655_360) == 0.1)
    }

    @Test(arguments: [(1.02, TwoStageJudge.ChangeDirection.worse), (0.98, .better)])
    func aLargeChangeIsFollowedUpAndConfirmed(factor: Double, direction: TwoStageJudge.ChangeDirection) throws {
        let first = try judge.screen(base: sizes(12), head: sizes(12, times: factor))
        #expect(first.verdict == .needsConfirmation(direction))
        #expect(abs(first.effect - (factor - 1)) < 1e-4 && first.p < 0.001)
        var generator = SeededGenerator(seed: 3)
        let second = try judge.confirm(
            direction, [Stratum(base: sizes(30), head: sizes(30, times: factor))], generator: &generator)
        #expect(second.verdict == (direction == .worse ? .regressed : .improved))
        #expect(second.interval.contains(second.effect) && !second.interval.contains(0))
        #expect(second.interval.upperBound - second.interval.lowerBound < 0.01)
    }

    @Test(arguments: [1, 1.009, 0.991])
    func aChangeBelowTheThresholdIsClean(factor: Double) throws {
        let found = try judge.screen(base: sizes(12), head: sizes(12, times: factor))
        #expect(found.verdict == .clean)
        #expect(abs(found.effect - (factor - 1)) < 1e-4)
    }

    @Test func confirmationIsForTheDirectionThatWasSeen() throws {
        var generator = SeededGenerator(seed: 3)
        let found = try judge.confirm(
            .worse, [Stratum(base: sizes(30), head: sizes(30, times: 0.95))], generator: &generator)
        #expect(found.verdict == .unchanged)
        #expect(found.p > 0.99)
    }

    @Test func theCorrectedPDecides() throws {
        let base = sizes(30)
        let head = sizes(30, times: 1.02)
        let p = try judge.confirmationP(.worse, [Stratum(base: base, head: head)])
        #expect(p < 0.005)
        var generator = SeededGenerator(seed: 3)
        let lenient = try judge.confirm(
            .worse, [Stratum(base: base, head: head)], corrected: 0.005, generator: &generator)
        let strict = try judge.confirm(
            .worse, [Stratum(base: base, head: head)], corrected: 0.0051, generator: &generator)
        #expect(lenient.verdict == .regressed && lenient.p == 0.005)
        #expect(strict.verdict == .inconclusive(needed: 31) && strict.p == 0.0051)
    }

    @Test func equalValuesAreClean() throws {
        let constant = [Double](repeating: 4e7, count: 12)
        let found = try judge.screen(base: constant, head: constant)
        #expect(found.verdict == .clean)
        #expect(found.p == 1 && found.effect == 0 && found.smallestDetectableChange == 0)
    }

    @Test func twoConstantsApartAreARegression() throws {
        let base = [Double](repeating: 4e7, count: 30)
        let head = [Double](repeating: 4.1e7, count: 30)
        #expect(try judge.screen(base: base, head: head).verdict == .needsConfirmation(.worse))
        var generator = SeededGenerator(seed: 3)
        let found = try judge.confirm(.worse, [Stratum(base: base, head: head)], generator: &generator)
        #expect(found.verdict == .regressed)
        #expect(abs(found.interval.lowerBound - 0.025) < 1e-12 && abs(found.interval.upperBound - 0.025) < 1e-12)
    }

    @Test(arguments: [1, 2, 3])
    func tooFewTrialsAreNoAcquittal(count: Int) throws {
        let found = try judge.screen(base: sizes(count), head: sizes(12))
        #expect(found.verdict == .inconclusive(needed: 12))
        #expect(found.smallestDetectableChange == nil)
        var generator = SeededGenerator(seed: 3)
        let fresh = try judge.confirm(
            .worse, [Stratum(base: sizes(30), head: sizes(count, times: 2))], generator: &generator)
        #expect(fresh.verdict == .inconclusive(needed: 30))
    }

    @Test func soFewTrialsThatNothingCouldBeConfirmedAreNoAcquittal() throws {
        #expect(try confirmed(.worse, sizes(4), sizes(4, times: 1.5)).verdict == .inconclusive(needed: 30))
        let five = try confirmed(.worse, sizes(5), sizes(5, times: 1.5))
        #expect(five.verdict == .regressed)
        let corrected = try confirmed(.worse, sizes(5), sizes(5, times: 1.5), corrected: five.p * 2, among: 2)
        #expect(corrected.verdict == .inconclusive(needed: 30))
    }

    /// The trials of a page more or less are equal more often than not.
    @Test(arguments: [5, 6, 8])
    func fewTrialsWithTiesThatLieWhollyApartAreAChange(count: Int) throws {
        let base = (0..<count).map { 1e8 + Double($0 / 2) * 4096 }
        let head = base.map { $0 + 4e6 }
        #expect(try confirmed(nil, base, head).verdict == .regressed)
        #expect(try confirmed(nil, head, base).verdict == .improved)
        #expect(try confirmed(.worse, base, head).verdict == .regressed)
        #expect(agree(try confirmed(nil, base, head).p, 2 * MannWhitney.smallestP(count, count), within: 1e-12))
    }

    @Test func relevantChangesThatMayBeChanceAreNotAcquitted() throws {
        // One of five values lies on the wrong side: p = 4 ÷ 252.
        let base = [100.0, 100, 101, 101, 108].map { $0 * 1e6 }
        let head = [107.0, 109, 109, 110, 110].map { $0 * 1e6 }
        let found = try confirmed(nil, base, head)
        #expect(abs(found.p - 4.0 / 252) < 1e-12 && found.effect > found.threshold)
        let needed = if case .inconclusive(let needed) = found.verdict { needed } else { 0 }
        #expect(needed > 5, "\(found.verdict)")
    }

    /// How many would do is the largest of three numbers: what reaches so small a p, what the noise asks for, one more.
    @Test func theNumberThatWouldDecideIsTheLargestOfThree() throws {
        func needed(_ base: [Double], _ head: [Double], among tests: Int = 1) throws -> Int? {
            let p = min(1, try judge.confirmationP(nil, [Stratum(base: base, head: head)]) * Double(tests))
            let found = try confirmed(nil, base, head, corrected: p, among: tests)
            guard case .inconclusive(let needed) = found.verdict else { return nil }
            return needed
        }
        let flat = [Double](repeating: 1e8, count: 4)
        // 2 ÷ 252 ≤ 0.01; of five tests 10 ÷ 3432 is, and 10 ÷ 924 is not; of a thousand 2000 ÷ 705,432 is.
        #expect(try needed(flat, flat.map { $0 * 2 }) == 5)
        #expect(try needed(flat, flat.map { $0 * 2 }, among: 5) == 7)
        #expect(try needed(flat, flat.map { $0 * 2 }, among: 1000) == 11)
        // And so many do decide.
        for (count, tests) in [(5, 1), (7, 5), (11, 1000)] {
            let base = [Double](repeating: 1e8, count: count)
            #expect(try needed(base, base.map { $0 * 2 }, among: tests) == nil)
        }
        // Noise asks for more: the effect is a standard deviation and a half.
        let noisy = (0..<6).map { 1e8 + Double($0) * 2e6 }
        let moved = noisy.map { $0 + 5e6 }
        #expect(try #require(try needed(noisy, moved)) > 10)
        #expect(try #require(try needed(noisy, moved, among: 5)) > #require(try needed(noisy, moved)))
        // A fresh look is never told to be shorter than it is meant to be, nor is the first.
        #expect(try confirmed(.worse, flat, flat.map { $0 * 2 }).verdict == .inconclusive(needed: 30))
        #expect(try judge.screen(base: [1e8], head: [2e8]).verdict == .inconclusive(needed: 12))
        let wild = (0..<3).map { 1e8 + Double($0) * 2e7 }
        guard case .inconclusive(let screened) = try judge.screen(base: wild, head: wild).verdict,
            case .inconclusive(let fresh) = try confirmed(.worse, wild, wild.map { $0 + 2e6 }).verdict
        else {
            Issue.record("three values decide nothing")
            return
        }
        #expect(screened > 12 && fresh > 30, "\(screened), \(fresh)")
    }

    private func confirmed(
        _ direction: TwoStageJudge.ChangeDirection?, _ base: [Double], _ head: [Double], corrected: Double? = nil,
        among tests: Int = 1
    ) throws -> TwoStageJudge.Confirmation {
        var generator = SeededGenerator(seed: 3)
        return try judge.confirm(
            direction, [Stratum(base: base, head: head)], corrected: corrected, among: tests, generator: &generator)
    }

    @Test func noiseThatHidesWhatCountsIsInconclusive() throws {
        let base = (0..<12).map { 4e7 * (1 + 0.02 * Double($0 % 4)) }
        let head = Array(base.reversed())
        let found = try judge.screen(base: base, head: head)
        let detectable = try #require(found.smallestDetectableChange)
        #expect(detectable > 0.03 && detectable < 0.05)
        let needed = if case .inconclusive(let needed) = found.verdict { needed } else { 0 }
        #expect(needed > 12 && agree(Double(needed), 12 * (detectable / 0.01) * (detectable / 0.01), within: 0.01))
        var rule = JudgementRule()
        rule.requiredDetection = 0.05
        #expect(try TwoStageJudge(rule: rule).screen(base: base, head: head).verdict == .clean)
        rule.requiredDetection = nil
        rule.noiseFloor = 0.05 * 4e7
        #expect(try TwoStageJudge(rule: rule).screen(base: base, head: head).verdict == .clean)
    }

    @Test func aLookThatDecidesDoesNotAcquitWhatNoiseHides() throws {
        let base = (0..<12).map { 4e7 * (1 + 0.02 * Double($0 % 4)) }
        for direction in [nil, TwoStageJudge.ChangeDirection.worse] {
            let found = try confirmed(direction, base, Array(base.reversed()))
            let needed = if case .inconclusive(let needed) = found.verdict { needed } else { 0 }
            #expect(needed > 12, "\(found.verdict)")
        }
        let quiet = (0..<12).map { 4e7 * (1 + 0.0001 * Double($0 % 4)) }
        #expect(try confirmed(nil, quiet, quiet).verdict == .unchanged)
    }

    @Test func soFewThatNothingCanBeShownHaveNoDetectableChange() throws {
        #expect(try judge.screen(base: sizes(3), head: sizes(3)).smallestDetectableChange == nil)
        #expect(try confirmed(nil, sizes(4), sizes(4)).smallestDetectableChange == nil)
        #expect(try confirmed(nil, sizes(5), sizes(5)).smallestDetectableChange != nil)
        #expect(try confirmed(nil, sizes(5), sizes(5), among: 2).smallestDetectableChange == nil)
    }

    @Test func anEffectThatChanceExplainsIsNotFollowedUp() throws {
        let base = (0..<12).map { 4e7 * (1 + 0.1 * Double($0 % 4)) }
        var rule = JudgementRule()
        rule.requiredDetection = 1
        let found = try TwoStageJudge(rule: rule).screen(base: base, head: base.map { $0 * 1.02 })
        #expect(found.effect > found.threshold && found.p > 0.1 && found.p < 0.5)
        #expect(found.verdict == .clean)
    }

    @Test func aChangeSeenThroughNoiseIsFollowedUp() throws {
        let base = (0..<12).map { 4e7 * (1 + 0.02 * Double($0 % 4)) }
        let found = try judge.screen(base: base, head: base.map { $0 * 1.2 })
        #expect(found.verdict == .needsConfirmation(.worse))
    }

    @Test(arguments: [
        ([], [1.0], StatisticsError.empty(.base)), ([1], [], .empty(.head)),
        ([1, .nan], [1], .notFinite(.base, index: 1)), ([1], [.infinity], .notFinite(.head, index: 0)),
    ])
    func valuesThatCannotBeJudgedAreRefused(base: [Double], head: [Double], error: StatisticsError) {
        #expect("\(error)".contains(" ") && !"\(error)".contains("("), "a sentence")
        #expect(throws: error) { try judge.screen(base: base, head: head) }
        #expect(throws: error) { try judge.confirmationP(.worse, [Stratum(base: base, head: head)]) }
        #expect(throws: error) {
            var generator = SeededGenerator(seed: 3)
            return try judge.confirm(.worse, [Stratum(base: base, head: head)], generator: &generator)
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity] as [Double])
    func aWholeThatIsNoneIsRefused(scale: Double) {
        #expect(throws: StatisticsError.self) { try judge.screen(base: [1], head: [2], scale: scale) }
        #expect(throws: StatisticsError.noScale(-1)) { try judge.screen(base: [-1], head: [2]) }
        #expect("\(StatisticsError.noScale(scale))".contains(" "))
    }

    /// A fetch that holds nothing grows by some pages or none; what is added to it counts as part of the process.
    @Test func aGrowthIsJudgedInBytes() throws {
        let base = (0..<12).map { Double($0 % 4 - 1) * 4096 }
        let whole = 4_500_000.0
        let same = try judge.screen(base: base, head: base.reversed(), scale: whole)
        #expect(same.verdict == .clean && same.effect == 0)
        let more = try judge.screen(base: base, head: base.map { $0 + 98304 }, scale: whole)
        #expect(more.verdict == .needsConfirmation(.worse))
        #expect(abs(more.effect * whole - 98304) < 1e-6 && abs(more.threshold * whole - 65536) < 1e-6)
        let little = try judge.screen(base: base, head: base.map { $0 + 61440 }, scale: whole)
        #expect(little.verdict == .clean)
    }

    @Test func theOrderOfTrialsDoesNotMatter() throws {
        var generator = SeededGenerator(seed: 3)
        var again = generator
        let head = sizes(30, times: 1.03)
        let one = try judge.confirm(.worse, [Stratum(base: sizes(30), head: head)], generator: &generator)
        let other = try judge.confirm(
            .worse, [Stratum(base: sizes(30).reversed(), head: head.reversed())], generator: &again)
        #expect(one == other)
    }

    /// Peaks of 40 MB that differ by a few thousandths and are never equal.
    private func sizes(_ count: Int, times factor: Double = 1) -> [Double] {
        (0..<count).map { 4e7 * factor * (1 + 0.0001 * Double($0 * 7 % max(count, 1))) }
    }
}

/// Several looks in one judgement: each counts for the others, and one that cannot be judged hinders none.
@Suite struct JudgedFamilyTests {
    private func member(_ count: Int, times factor: Double, direction: TwoStageJudge.ChangeDirection? = nil)
        -> JudgedFamily.Member
    {
        let base = (0..<count).map { 4e7 + Double($0 % 3) * 4096 }
        return JudgedFamily.Member(
            [Stratum(base: base, head: base.map { $0 * factor })], direction: direction, rule: .interleaved)
    }

    private func verdicts(_ members: [JudgedFamily.Member]) throws -> [TwoStageJudge.Confirmation.Verdict] {
        try JudgedFamily(members).confirmations(seed: 1).map { try $0.get().verdict }
    }

    @Test func sixRunsOfFourCommandsDecide() throws {
        #expect(try verdicts([1.5, 0.5, 1].map { member(6, times: $0) }) == [.regressed, .improved, .unchanged])
    }

    @Test func tooFewTrialsAreReportedWithTheRequiredNumber() throws {
        #expect(try verdicts([member(5, times: 1.5)]) == [.regressed])
        #expect(
            try verdicts([member(5, times: 1.5), member(5, times: 1)]) == [.inconclusive(needed: 6), .unchanged])
        #expect(try verdicts([member(6, times: 1.5), member(6, times: 1)]) == [.regressed, .unchanged])
    }

    @Test func oneThatCannotBeJudgedCountsAndHindersNone() throws {
        let empty = JudgedFamily.Member([Stratum(base: [], head: [1])], rule: .interleaved)
        let answers = JudgedFamily([member(5, times: 1.5), empty, member(8, times: 1.5)]).confirmations(seed: 1)
        #expect(try answers[0].get().verdict == .inconclusive(needed: 6))
        #expect(throws: StatisticsError.empty(.base)) { try answers[1].get() }
        #expect(try answers[2].get().verdict == .regressed)
    }

    @Test func casesFoundCleanInTheFirstStageCount() throws {
        let fresh = member(5, times: 1.5, direction: .worse)
        let alone = try JudgedFamily([fresh]).confirmations(seed: 1)[0].get()
        let besides = try JudgedFamily([fresh], besides: 2).confirmations(seed: 1)[0].get()
        #expect(alone.verdict == .regressed && besides.verdict == .inconclusive(needed: 30))
        #expect(abs(besides.p - 3 * alone.p) < 1e-12)
    }

    @Test func othersChangeNoInterval() throws {
        let noisy = JudgedFamily.Member(
            [
                Stratum(
                    base: (0..<9).map { 4e7 + Double($0 * $0) * 1e5 }, head: (0..<9).map { 5e7 + Double($0 * $0) * 1e5 }
                )
            ], rule: .interleaved)
        let alone = try JudgedFamily([noisy]).confirmations(seed: 7)[0].get()
        let last = try JudgedFamily([member(9, times: 2), noisy]).confirmations(seed: 7)[1].get()
        #expect(alone.interval == last.interval)
    }
}
