// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

struct SurvivalSearchTests {
    /// Searches where trials survive by a rule; returns what was found and how many trials it took.
    private func search(
        guess: Int, ceiling: Int = 10_000, repeats: Int = 5, survives: (_ limit: Int, _ trial: Int) -> Bool
    ) -> (found: Int?, failed: Int, trials: [Int]) {
        var search = SurvivalSearch(guess: guess, ceiling: ceiling, repeats: repeats)
        var tried: [Int] = []
        while let limit = search.next, tried.count < 10_000 {
            tried.append(limit)
            search.note(limit, survived: survives(limit, tried.count))
        }
        return (search.found, search.highestFailed, tried)
    }

    @Test(arguments: [1, 2, 7, 21, 100, 399, 5000], [1, 20, 22, 100, 4000])
    func theSmallestLimitIsFound(need: Int, guess: Int) {
        let ended = search(guess: guess) { limit, _ in limit >= need }
        #expect(ended.found == need && ended.failed == need - 1)
        #expect(ended.trials.count { $0 == need } == 5)
        #expect(ended.trials.count <= 5 + 2 * 13, "steps that double, then halves")
        #expect(guess != need || ended.trials.count <= 6)
    }

    @Test func aLuckyTrialIsNoAnswer() {
        // Between 100 and 110 each third trial dies.
        let ended = search(guess: 90) { limit, trial in limit >= 110 || (limit >= 100 && trial % 3 != 0) }
        let found = ended.found ?? 0
        #expect((101...110).contains(found) && ended.failed < found)
        #expect(ended.trials.suffix(5).allSatisfy { $0 == found })
    }

    @Test(arguments: 0..<50)
    func aSearchEndsAboveEveryFailure(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var failed: Set<Int> = []
        let ended = search(guess: Int.random(in: 1...300, using: &random)) { limit, _ in
            let lives = limit > 60 && (limit >= 80 || Int.random(in: 60..<80, using: &random) < limit)
            if !lives { failed.insert(limit) }
            return lives
        }
        #expect(ended.found.map { $0 > failed.max() ?? 0 && $0 <= 81 } == true, "\(ended)")
    }

    @Test func anythingMayNeedMoreThanThereIs() {
        let ended = search(guess: 10, ceiling: 500) { _, _ in false }
        #expect(ended.found == nil && ended.failed == 500 && ended.trials.count < 12)
    }
}

/// Searches for the limit that does not hurt by trials whose times follow a rule.
struct TimeSearchTests {
    private func series(
        smallest: Int, peak: Int, ceiling: Int = 4096, isMonotonic: Bool = false, milliseconds: (_ limit: Int?) -> Int
    ) throws -> LimitSeries {
        var series = LimitSeries(repeats: 10)
        func add(_ limit: Int?) throws {
            let count = series.unlimited.trials.count + series.limits.reduce(0) { $0 + $1.trials.count }
            // Noise of ±1 %, the same for all.
            let time = milliseconds(limit) * 1000 + (count % 3 - 1) * milliseconds(limit) * 10
            let trial = try SurvivalTests.trial(microseconds: time, hits: 0)
            series.add(trial, under: limit.map { .mebibytes($0) })
        }
        for _ in 0..<10 { try add(nil) }
        let search = TimeSearch(from: smallest, peak: peak, ceiling: ceiling, isMonotonic: isMonotonic)
        var count = 0
        while let limit = search.next(in: series), count < 1000 {
            try add(limit)
            count += 1
        }
        #expect(count < 150)
        return series
    }

    @Test(arguments: [20, 21, 29, 30, 64, 100, 200, 201], [false, true])
    func theLimitThatDoesNotHurtIsFoundToATenth(edge: Int, isMonotonic: Bool) throws {
        let found = try series(smallest: 20, peak: 200, isMonotonic: isMonotonic) { $0 ?? 500 < edge ? 130 : 100 }
        let unhurt = try #require(found.unhurt?.limit?.wholeMebibytes)
        #expect(unhurt >= edge && unhurt <= edge + max(1, edge / 10), "\(unhurt)")
        #expect(edge > 20 || (unhurt == 20 && found.highestHurting == nil) || isMonotonic, "a time that is constant")
        #expect(found.unhurt?.trials.count ?? 0 >= 10, "the edge is confirmed")
    }

    /// A program that is given less than 256 MiB is slow, although it would never use more than 200.
    @Test func aLimitBeyondAllThatIsUsedCanHurt() throws {
        let unhurt = try series(smallest: 31, peak: 201) { $0 ?? 500 < 256 ? 600 : 200 }.unhurt?.limit?.wholeMebibytes
        #expect((256...282).contains(unhurt ?? 0), "\(unhurt ?? 0)")
    }

    @Test func everyLimitMayHurt() throws {
        let found = try series(smallest: 31, peak: 201, ceiling: 512) { $0 == nil ? 200 : 300 }
        #expect(found.unhurt == nil && found.highestHurting?.limit == .mebibytes(512))
    }
}

struct SurvivalTests {
    static func trial(
        _ kind: Outcome.Kind = .completed, microseconds: Int = 100_000, pages: Int = 0, hits: Int = 1, kills: Int = 0,
        needed: Int = 20
    ) throws -> LimitTrials.Trial {
        let charge = MemoryCharge(
            total: .mebibytes(60), anonymous: .mebibytes(needed), pageCache: .mebibytes(40), sharedMemory: .zero)
        let series = ChargeSeries(
            samples: [ChargeSampler.Sample(timeNanoseconds: 1, charge: charge)],
            peak: ChargePeak(total: .mebibytes(60), errorBound: .zero),
            reclaim: ReclaimCounts(refaultedPages: pages, majorFaults: 0), killCount: kills, limitHits: hits)
        return LimitTrials.Trial(
            outcome: kind == .completed ? .completed : Outcome(kind, "reset by peer"), nanoseconds: microseconds * 1000,
            charge: try #require(TrialCharge(series, report: nil)))
    }

    /// Trials without a limit, then those under limits by their milliseconds.
    private static func series(_ limits: [(Int, [Int])], failed: Int? = nil) throws -> LimitSeries {
        var series = LimitSeries(repeats: 5)
        for (limit, times) in [(nil, [100, 101, 102, 100, 101, 99])] + limits.map({ ($0.0 as Int?, $0.1) }) {
            for time in times {
                series.add(try trial(microseconds: time * 1000), under: limit.map { .mebibytes($0) })
            }
        }
        if let failed { series.add(try trial(.killedByLimit, kills: 1), under: .mebibytes(failed)) }
        return series
    }

    static func example() throws -> Survival {
        let series = try series(
            [
                (25, [101, 102, 100, 99, 103]), (22, [120, 121, 122, 119, 118]), (21, [300, 310, 290, 305, 299]),
                (61, [100, 101, 100, 102, 100]),
            ], failed: 20)
        return Survival(cell: .plain("sort", on: .glibc), cached: series)
    }

    @Test func limitsAreInOrderHoweverTheyCome() throws {
        let survival = try Self.example()
        #expect(survival.cached.limits.map(\.limit) == [20, 21, 22, 25, 61].map { .mebibytes($0) })
        #expect(survival.surviving?.limit == .mebibytes(21) && survival.cached.highestFailed == .mebibytes(20))
        #expect(survival.cached.survivingRange == .mebibytes(19) ... .mebibytes(22))
        #expect(survival.unhurt?.limit == .mebibytes(25))
    }

    @Test func timesDecideAndNotRefaultsOrHits() throws {
        var series = try Self.series([])
        for _ in 0..<5 { series.add(try Self.trial(pages: 9000, hits: 50), under: .mebibytes(30)) }
        for time in [140, 141, 139, 138, 142] {
            series.add(try Self.trial(microseconds: time * 1000, hits: 0), under: .mebibytes(40))
        }
        #expect(series.limits.map { series.isHurt($0) } == [false, true])
        #expect(series.unhurt == nil)
    }

    @Test func aLateFailureMovesTheLimitUp() throws {
        let series = try Self.series(
            [(20, [100, 100, 100, 100, 100]), (21, [100, 100]), (22, [100, 100, 100, 100, 100])], failed: 21)
        #expect(series.surviving?.limit == .mebibytes(22))
        #expect(series.survivingRange == .mebibytes(19) ... .mebibytes(25), "a search that ends early says 20")
    }

    @Test func aFailureBelowTheLimitIsTheProgramsOwn() throws {
        var series = try Self.series([(20, [100, 100, 100])])
        series.add(try Self.trial(.failed, hits: 0), under: .mebibytes(20))
        #expect(series.surviving?.limit == .mebibytes(20) && series.highestFailed == nil && series.ownFailures == nil)
        #expect(series.limits[0].failedThemselves == 1)
        for _ in 0..<2 { series.add(try Self.trial(.failed, hits: 0), under: nil) }
        #expect(series.ownFailures == nil, "3 of 12")
        series.add(try Self.trial(.failed, hits: 0), under: nil)
        #expect(series.ownFailures.map { [$0.count, $0.trials] } == [4, 13])
    }

    /// A runtime that takes a quarter of its limit as its heap ends by itself when that is too little.
    @Test func aLimitThatNeverLetsItLiveIsNotChance() throws {
        var series = try Self.series([(30, [100, 100, 100])])
        for _ in 0..<3 { series.add(try Self.trial(.failed, hits: 0), under: .mebibytes(20)) }
        #expect(series.highestFailed == .mebibytes(20) && series.surviving?.limit == .mebibytes(30))
        #expect(series.ownFailures == nil)
    }

    @Test func aSettingHasRoomAndIsNoLessThanWasNeeded() throws {
        var survival = try Self.example()
        #expect(survival.setting == .mebibytes(28), "25 and a tenth")
        survival.stillCached = .mebibytes(3)
        #expect(survival.setting == .mebibytes(31))
        var series = survival.cached
        series.add(try Self.trial(needed: 50), under: nil)
        survival.cached = series
        #expect(survival.setting == .mebibytes(31), "it holds less than half of that under its smallest limit")
        series.add(try Self.trial(needed: 48), under: .mebibytes(21))
        survival.cached = series
        #expect(survival.adaptation == nil && survival.setting == .mebibytes(55))
        survival.uncached = try Self.series([(80, [100, 100, 100, 101, 101])])
        #expect(survival.setting == .mebibytes(92))
    }

    @Test func aTableSurvivesStorage() throws {
        var survival = try Self.example()
        survival.uncached = survival.cached
        let text = try RunCoding.compactText(of: survival)
        #expect(try JSONDecoder().decode(Survival.self, from: Data(text.utf8)) == survival)
        for line in ["\"survives_bytes\":\(21 << 20)", "\"failed_bytes\":\(20 << 20)", "\"unhurt_bytes\":\(25 << 20)"] {
            #expect(text.contains(line))
        }
    }
}
