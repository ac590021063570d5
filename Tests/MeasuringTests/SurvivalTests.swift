// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import Runs
import Statistics
import Testing
import TrialKit

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
    }

    @Test func aGoodGuessIsCheap() {
        #expect(search(guess: 100) { limit, _ in limit >= 100 }.trials.count <= 6)
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

    @Test func aLimitOfOneIsTheSmallest() {
        let ended = search(guess: 3) { _, _ in true }
        #expect(ended.found == 1 && ended.failed == 0)
    }
}

struct SurvivalTests {
    private static func trials(
        _ limit: Int?, _ milliseconds: [Int], failed: Int = 0, pages: Int = 0, hits: Int = 1
    ) throws -> LimitTrials {
        var made = LimitTrials(limit: limit.map { .mebibytes($0) })
        let charge = MemoryCharge(
            total: .mebibytes(60), anonymous: .mebibytes(20), pageCache: .mebibytes(40), sharedMemory: .zero)
        let series = ChargeSeries(
            samples: [ChargeSample(timeNanoseconds: 1, charge: charge)],
            peak: ChargePeak(total: .mebibytes(60), errorBound: .zero),
            reclaim: ReclaimCounts(refaultedPages: pages, majorFaults: 0), limitHits: hits)
        let trialCharge = try #require(TrialCharge(series, report: nil))
        made.trials = milliseconds.map {
            LimitTrials.Trial(outcome: .completed, nanoseconds: $0 * 1_000_000, charge: trialCharge)
        }
        made.trials += (0..<failed).map { _ in
            LimitTrials.Trial(outcome: Outcome(.killedByLimit, "killed"), nanoseconds: 5, charge: nil)
        }
        return made
    }

    static func survival(_ limits: [LimitTrials]) throws -> Survival {
        var survival = Survival(cell: .plain("sort", on: .glibc))
        survival.unlimited = try trials(nil, [100, 101, 102, 100, 101, 99], hits: 0)
        survival.limits = limits
        return survival
    }

    static func example() throws -> Survival {
        try survival([
            trials(20, [], failed: 1), trials(21, [300, 310, 290, 305, 299], pages: 9000),
            trials(22, [120, 121, 122, 119, 118], pages: 10), trials(25, [101, 102, 100, 99, 103], pages: 10),
            trials(61, [140, 141, 139, 138, 142], hits: 0),
        ])
    }

    @Test func aLimitSurvivesWhereNoTrialFailed() throws {
        let survival = try Self.example()
        #expect(survival.surviving?.limit == .mebibytes(21) && survival.highestFailed == .mebibytes(20))
        #expect(survival.slowdown(of: try #require(survival.surviving)).map { $0 > 2.9 && $0 < 3.1 } == true)
    }

    @Test func slowAndThrashingLimitsHurt() throws {
        let survival = try Self.example()
        let hurting = survival.limits.map { survival.hurts($0) }
        // The last one was never reached, however slow it was.
        #expect(hurting == [true, true, true, false, false])
        #expect(survival.unhurt?.limit == .mebibytes(25))
    }

    @Test func refaultsHurtEvenWhereTimeDoesNot() throws {
        let survival = try Self.survival([Self.trials(30, [100, 101, 99, 100, 100], pages: 300)])
        #expect(survival.unhurt == nil && survival.surviving?.limit == .mebibytes(30))
    }

    @Test func aLateFailureMovesTheLimitUp() throws {
        let survival = try Self.survival([
            Self.trials(20, [100, 100, 100, 100, 100]), Self.trials(21, [100, 100], failed: 1),
            Self.trials(22, [100, 100, 100, 100, 100]),
        ])
        #expect(survival.surviving?.limit == .mebibytes(22))
    }

    @Test func aTableSurvivesStorage() throws {
        let survival = try Self.example()
        let text = try RunCoding.compactText(of: survival)
        #expect(try JSONDecoder().decode(Survival.self, from: Data(text.utf8)) == survival)
        // For programs that read it.
        for line in ["\"survives_bytes\":\(21 << 20)", "\"failed_bytes\":\(20 << 20)", "\"unhurt_bytes\":\(25 << 20)"] {
            #expect(text.contains(line))
        }
    }
}
