// SPDX-License-Identifier: Apache-2.0

import Runs
import Statistics
import Testing

/// "Leak or allocator?", answered of series that are known.
struct RepetitionTrendTests {
    private static let count = 200

    private static func trend(
        resident: (Int) -> Int = { _ in 20_000_000 }, allocated: (Int) -> Int = { _ in 3_000_000 }, each: Int = 1
    ) throws -> RepetitionTrend {
        let numbers = 0..<count
        let residents = numbers.map(resident)
        return try #require(
            RepetitionTrend(
                resident: residents, anonymous: residents.map { $0 - 12_000_000 }, allocated: numbers.map(allocated),
                requestsEach: each))
    }

    @Test func nothingThatGrowsIsFlat() throws {
        let trend = try Self.trend()
        #expect(trend.verdict == .flat)
        #expect(trend.allocated?.slope == 0 && trend.resident.slope == 0)
    }

    /// 50 series with noise of what a client lets go of a moment later, as many without a leak: 50 of 50 each.
    @Test(arguments: 1...50)
    func aLeakIsFoundAndNobodyElseAccused(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func noise() -> Int { Int.random(in: 0..<8, using: &generator) == 0 ? 65_536 : 0 }
        let leaking = try Self.trend(allocated: { 3_000_000 + 64 * $0 + noise() })
        guard case .leaks(let bytes, nil) = leaking.verdict else {
            Issue.record("a leak of 64 bytes a request passes for \(leaking.verdict.words)")
            return
        }
        #expect(abs(bytes - 64) <= 16)
        #expect(try Self.trend(allocated: { _ in 3_000_000 + noise() }).verdict == .flat)
    }

    @Test func whatOnlyTheKernelCountsIsKeptByTheAllocator() throws {
        let trend = try Self.trend(resident: { 20_000_000 + $0 / 8 * 4096 })
        #expect(trend.verdict == .keptByAllocator)
        #expect(abs(trend.resident.slope - 512) < 32)
    }

    @Test func aPoolThatFillsIsNoLeak() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + 300 * min($0, 90) }).verdict == .flat)
    }

    @Test func oneStepIsNoLeak() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + ($0 > 100 ? 1_000_000 : 0) }).verdict == .flat)
    }

    /// As a cache does that fills: what it keeps is told, and that it is no leak.
    @Test(arguments: [8, 80]) func aCacheThatFillsIsNeitherALeakNorNothing(count: Int) throws {
        let bytes = 5_242_880 / count
        let trend = try Self.trend(allocated: { 3_000_000 + bytes * min($0 + 1, count) })
        guard case .levels(let amount) = trend.verdict else {
            Issue.record("a cache passes for \(trend.verdict.words)")
            return
        }
        #expect(abs(amount - 5_242_880) <= 2 * Double(bytes))
        #expect(trend.verdict.words == "grows by \(count == 8 ? "4.4" : "4.9") MiB, then flat")
    }

    /// What swings by megabytes, as the bodies on their way through a server do.
    @Test(arguments: 1...50) func whatSwingsDoesNotLevelOff(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let swinging = try Self.trend(allocated: { _ in 3_000_000 + Int.random(in: 0..<8_000_000, using: &generator) })
        #expect(swinging.verdict == .flat)
    }

    @Test func aLeakThatBeginsLateIsFoundWithItsBeginning() throws {
        let late = try Self.trend(allocated: { 3_000_000 + 3000 * max(0, $0 - 150) })
        guard case .leaks(bytes: 3000, from: let start?) = late.verdict else {
            Issue.record("a leak that begins late passes for \(late.verdict.words)")
            return
        }
        #expect((130...170).contains(start))
        let doubling = try Self.trend(allocated: { 48 << (Int.bitWidth - ($0 + 1).leadingZeroBitCount) })
        #expect(doubling.verdict == .flat)
    }

    /// As libdispatch fills one: it begins whenever tasks start to change threads, and holds 1,024 blocks of 80 bytes.
    @Test(arguments: [100, 150, 180]) func aPoolThatBeginsToFillLateIsNoLeak(start: Int) throws {
        #expect(try Self.trend(allocated: { 3_000_000 + 160 * max(0, $0 - start) }).verdict == .flat)
        let pool = try Self.trend(allocated: { 3_000_000 + min(81_920, 800 * max(0, $0 - start)) })
        #expect(pool.verdict == .flat)
    }

    /// So few that a third of them is no line.
    @Test(arguments: [4, 5, 6]) func aLeakIsFoundInFewRepetitions(count: Int) throws {
        let series = (0..<count).map { 3_000_000 + 1_048_576 * $0 }
        let level = [Int](repeating: 20_000_000, count: count)
        let trend = RepetitionTrend(resident: level, anonymous: level, allocated: series, requestsEach: 1)
        #expect(trend?.verdict == .leaks(bytes: 1_048_576))
    }

    /// 43 blocks of a pool, put there one by one while a busy machine moves work between threads.
    @Test func aSmallTotalNeedsMoreRequestsToBeALeak() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + 17 * $0 }).verdict == .flat)
        #expect(try Self.trend(allocated: { 3_000_000 + 85 * $0 }, each: 5).verdict == .leaks(bytes: 17))
    }

    @Test func aFewBytesARequestAreNoLeakWithinTheRoundingOfAnAccount() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + 4 * $0 }).verdict == .flat)
    }

    @Test func severalRequestsARepetitionShareWhatItLeaves() throws {
        let trend = try Self.trend(allocated: { 3_000_000 + 640 * $0 }, each: 10)
        #expect(trend.verdict == .leaks(bytes: 64))
        #expect(trend.verdict.words == "leaks 64 B a request")
    }

    @Test func withoutAnAccountGrowthIsNotExplained() throws {
        let trend = try Self.trend(resident: { 20_000_000 + 4096 * $0 }, allocated: { _ in 0 })
        #expect(trend.allocated == nil)
        #expect(trend.verdict == .grows)
    }

    @Test(arguments: [0, 1, 3])
    func tooFewRepetitionsGiveNoLine(count: Int) {
        let series = Array(repeating: 1, count: count)
        #expect(RepetitionTrend(resident: series, anonymous: series, allocated: series, requestsEach: 1) == nil)
    }
}
