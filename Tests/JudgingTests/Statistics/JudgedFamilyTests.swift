// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// Several looks in one judgement: each counts for the others, and one that cannot be judged hinders none.
@Suite struct JudgedFamilyTests {
    private func member(_ count: Int, times factor: Double, direction: ChangeDirection? = nil) -> JudgedFamily.Member {
        let base = (0..<count).map { 4e7 + Double($0 % 3) * 4096 }
        return JudgedFamily.Member(
            base: base, head: base.map { $0 * factor }, direction: direction, rule: .interleaved)
    }

    private func verdicts(_ members: [JudgedFamily.Member]) throws -> [Statistics.Confirmation.Verdict] {
        try JudgedFamily(members).confirmations(seed: 1).map { try $0.get().verdict }
    }

    @Test func sixRunsOfFourCommandsDecide() throws {
        #expect(
            try verdicts([1.5, 0.5, 1].map { member(6, times: $0) }) == [.regressed, .improved, .unchanged])
    }

    @Test func whatCannotReachTheLimitTogetherIsToldHowManyWould() throws {
        #expect(try verdicts([member(5, times: 1.5)]) == [.regressed])
        #expect(
            try verdicts([member(5, times: 1.5), member(5, times: 1)]) == [.inconclusive(needed: 6), .unchanged])
        #expect(try verdicts([member(6, times: 1.5), member(6, times: 1)]) == [.regressed, .unchanged])
    }

    @Test func oneThatCannotBeJudgedCountsAndHindersNone() throws {
        let empty = JudgedFamily.Member(base: [], head: [1], rule: .interleaved)
        let answers = JudgedFamily([member(5, times: 1.5), empty, member(8, times: 1.5)]).confirmations(seed: 1)
        #expect(try answers[0].get().verdict == .inconclusive(needed: 6))
        #expect(throws: StatisticsError.empty(.base)) { try answers[1].get() }
        #expect(try answers[2].get().verdict == .regressed)
    }

    @Test func whatAFirstLookFoundCleanCounts() throws {
        let fresh = member(5, times: 1.5, direction: .worse)
        let alone = try JudgedFamily([fresh]).confirmations(seed: 1)[0].get()
        let besides = try JudgedFamily([fresh], besides: 2).confirmations(seed: 1)[0].get()
        #expect(alone.verdict == .regressed && besides.verdict == .inconclusive(needed: 30))
        #expect(abs(besides.p - 3 * alone.p) < 1e-12)
    }

    @Test func othersChangeNoInterval() throws {
        let noisy = JudgedFamily.Member(
            base: (0..<9).map { 4e7 + Double($0 * $0) * 1e5 }, head: (0..<9).map { 5e7 + Double($0 * $0) * 1e5 },
            rule: .interleaved)
        let alone = try JudgedFamily([noisy]).confirmations(seed: 7)[0].get()
        let last = try JudgedFamily([member(9, times: 2), noisy]).confirmations(seed: 7)[1].get()
        #expect(alone.interval == last.interval)
    }
}
