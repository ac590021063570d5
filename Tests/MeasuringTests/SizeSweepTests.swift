// SPDX-License-Identifier: Apache-2.0

import Reports
import Runs
import Testing

struct SizeSweepTests {
    /// A run in which the peak of each mode is a function of the size.
    private func run(
        sizes: [Int] = [1, 4, 16, 64], conditions: [FetchConditions] = [.standard], mediaType: String? = nil,
        trials: Int = 3, peak: (_ cell: Case, _ bytes: Int, _ trial: Int) -> Int
    ) throws -> RunRecord {
        let assets = sizes.map {
            Asset(
                name: "\($0)MiB", location: "/bytes/\($0)MiB", isEmbedded: true, byteCount: .mebibytes($0),
                mediaType: mediaType)
        }
        let plan = Plan.synthetic(
            assets: assets,
            modes: [FakeMode(name: "none"), FakeMode(name: "stream", abilities: [.slowConsumer, .concurrency])],
            models: [FakeModel(name: "none", needsBody: false)], allocators: [.glibc], conditions: conditions,
            trials: trials)
        var run = SyntheticRun.record(plan)
        run.trials = try plan.slots.map { slot in
            var synthetic = SyntheticTrial(number: slot.trial, cell: slot.cell, asset: plan.asset(of: slot.cell))
            synthetic.bodySHA256 = nil
            let bytes = synthetic.asset?.byteCount?.rawValue ?? 0
            synthetic.peaks = [.fetch: ByteCount(peak(slot.cell, bytes, slot.trial))]
            synthetic.ends = [:]
            return try synthetic.trial()
        }
        return run
    }

    @Test(arguments: [
        (0.0, "constant"), (1.0, "one copy"), (2.0, "two copies"), (3.0, "3 copies"), (1.5, "1.50 copies"),
    ])
    func theSlopeIsTheNumberOfCopies(copies: Double, words: String) throws {
        let run = try run { cell, bytes, trial in
            cell.mode == "none" ? 0 : Int(copies * Double(bytes)) + 200_000 + 4096 * (trial % 3)
        }
        let sweeps = SizeSweep.all(in: run)
        let sweep = try #require(sweeps.first)
        #expect(sweeps.count == 1)
        #expect(abs(sweep.line.slope - copies) < 0.01)
        #expect(sweep.line.slopeInterval.contains(copies))
        #expect(abs(sweep.line.intercept - 204_000) < 10_000)
        #expect(sweep.verdict.words == words)
        #expect(sweep.sizes == [1, 4, 16, 64].map { ByteCount.mebibytes($0) })
        #expect(sweep.trials == 12)
        #expect(sweep.cases.map(\.asset) == ["1MiB", "4MiB", "16MiB", "64MiB"])
    }

    @Test func twoSizesAreNoSweep() throws {
        #expect(SizeSweep.all(in: try run(sizes: [1, 64]) { _, bytes, _ in bytes }).isEmpty)
    }

    @Test func aSizeWithoutACompletedTrialDoesNotCount() throws {
        var run = try run(sizes: [1, 4, 16]) { _, bytes, _ in bytes }
        for index in run.trials.indices where run.trials[index].cell.asset == "16MiB" {
            run.trials[index].outcome = Outcome(.failed, "no reason")
        }
        #expect(SizeSweep.all(in: run).isEmpty)
    }

    @Test func wildPeaksAreUndecided() throws {
        let run = try run { _, bytes, trial in trial % 2 == 0 ? bytes * 3 : 0 }
        #expect(SizeSweep.all(in: run).first?.verdict == .undecided)
    }

    @Test func aSlowConsumerThatPilesUpGrowsWithoutBound() throws {
        let slow = FetchConditions.unusual { $0.consumerDelayNanoseconds = 200_000 }
        let piling = try run(conditions: [.standard, slow]) { cell, bytes, _ in
            cell.conditions == .standard ? 4_000_000 : bytes
        }
        #expect(SizeSweep.all(in: piling).map(\.verdict) == [.constant, .unbounded])
        #expect(SizeSweep.all(in: piling).last?.verdict.words == "grows without bound with a slow consumer")
        let lagging = try run(conditions: [.standard, slow]) { cell, bytes, _ in
            cell.conditions == .standard ? bytes * 3 / 10 : bytes
        }
        #expect(SizeSweep.all(in: lagging).last?.verdict == .unbounded)
        let bounded = try run(conditions: [.standard, slow]) { _, _, _ in 4_000_000 }
        #expect(SizeSweep.all(in: bounded).map(\.verdict) == [.constant, .constant])
    }

    @Test func modesThatHoldTheBodyAreNotCalledUnbounded() throws {
        let slow = FetchConditions.unusual { $0.consumerDelayNanoseconds = 200_000 }
        let collecting = try run(conditions: [.standard, slow]) { _, bytes, _ in bytes }
        #expect(SizeSweep.all(in: collecting).map(\.verdict) == [.copies(1), .copies(1)])
        let alone = try run(conditions: [slow]) { _, bytes, _ in bytes }
        #expect(SizeSweep.all(in: alone).map(\.verdict) == [.copies(1)])
    }

    @Test func severalFetchesAtOnceAreAsMuchAsTheyAskFor() throws {
        let five = FetchConditions.unusual { $0.concurrency = 5 }
        let run = try run(conditions: [five]) { _, bytes, _ in 10 * bytes }
        let sweep = try #require(SizeSweep.all(in: run).first)
        #expect(sweep.verdict == .copies(2))
        #expect(sweep.sizes.last == .mebibytes(320))
        #expect(run.trials.last { $0.cell.mode == "stream" }?.copiesHeld == 2)
    }

    @Test func theTableHasARowForEachSweep() throws {
        let run = try run { _, bytes, _ in 2 * bytes + 1_048_576 }
        let text = try #require(SlopesTable.text(of: Report(run)))
        let row = try #require(MiniCSV.records(of: text).first)
        #expect(
            row == [
                "mode": "stream", "render": "none", "allocator": "glibc", "concurrency": "1", "consumer_delay_ns": "0",
                "session": "bare", "transfer": "length", "scheme": "http", "assets": "1MiB 4MiB 16MiB 64MiB",
                "sizes": "4",
                "smallest_bytes": "1048576", "largest_bytes": "67108864", "n": "12", "slope_ratio": "2",
                "slope_low_ratio": "2", "slope_high_ratio": "2", "intercept_bytes": "1048576", "verdict": "two copies",
                "start": "warm", "scenario": "none", "loader": "", "display": "verified",
                "destination": "same", "http": "1.1", "container_limit_bytes": "", "chunk_bytes": "",
                "client_bytes_per_second": "",
            ])
        #expect(try SlopesTable.text(of: Report(SyntheticRun.complete())) == nil)
    }

    @Test func theReportLeadsWithTheSlopes() throws {
        let slow = FetchConditions.unusual { $0.consumerDelayNanoseconds = 200_000 }
        let run = try run(conditions: [.standard, slow]) { cell, bytes, _ in
            cell.conditions == .standard ? 4_194_304 : bytes
        }
        let markdown = try Formats.runMarkdown.text(of: Report(run))
        let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("|") && $0.contains("delay=200us") }
        #expect(
            rows.contains {
                $0.contains("| grows without bound with a slow consumer | 1.000 | 1.000 … 1.000 | +0.00 | 12 |")
            })
        #expect(
            markdown.contains("constant for stream; grows without bound with a slow consumer for stream (delay=200us)"))
        #expect(rows.contains { $0.hasPrefix("| 64MiB | stream | delay=200us |") })
        #expect(markdown.contains("assets 1MiB, 4MiB, 16MiB, 64MiB"))
        let plain = try Formats.runTable.text(of: Report(run))
        #expect(plain.contains("Peak growth = a + slope · size:"))
        #expect(plain.contains("grows without bound with a slow consumer"))
    }
}

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

    @Test func noGrowthIsFlat() throws {
        let trend = try Self.trend()
        #expect(trend.verdict == .flat)
        #expect(trend.allocated?.slope == 0 && trend.resident.slope == 0)
    }

    /// 50 series with noise of what a client lets go of a moment later, as many without a leak: 50 of 50 each.
    @Test(arguments: 1...50)
    func aLeakIsFoundAndNobodyElseAccused(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func noise() -> Int { Int.random(in: 0..<8, using: &generator) == 0 ? 65_536 : 0 }
        let leaking = try Self.trend(allocated: { 3_000_000 + 640 * $0 + noise() }, each: 10)
        let bytes = if case .leaks(let bytes, nil) = leaking.verdict { bytes } else { 0.0 }
        #expect(abs(bytes - 64) <= 16, "\(leaking.verdict.words)")
        #expect(try Self.trend(allocated: { _ in 3_000_000 + noise() }).verdict == .flat)
    }

    @Test func memoryThatOnlyTheKernelCountsIsTheAllocators() throws {
        let trend = try Self.trend(resident: { 20_000_000 + $0 / 8 * 4096 })
        #expect(trend.verdict == .keptByAllocator)
        #expect(abs(trend.resident.slope - 512) < 32)
    }

    @Test func aPoolThatFillsIsNoLeak() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + 300 * min($0, 90) }).verdict == .flat)
    }

    @Test func oneStepIsNoLeak() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + ($0 > 100 ? 1_000_000 : 0) }).verdict == .flat)
        #expect(try Self.trend(allocated: { 3_000_000 - ($0 > 100 ? 81_920 : 0) }).verdict == .flat)
    }

    /// A thread of libdispatch that ends frees its pool.
    @Test(arguments: [60, 101, 150]) func aLeakIsFoundBeyondTheEndOfAThread(end: Int) throws {
        let trend = try Self.trend(allocated: { 3_000_000 + 640 * $0 - ($0 > end ? 81_920 : 0) }, each: 10)
        let bytes = if case .leaks(let bytes, nil) = trend.verdict { bytes } else { 0.0 }
        #expect(abs(bytes - 64) <= 2, "\(trend.verdict.words)")
    }

    /// As a cache does that fills: what it keeps is told, and that it is no leak.
    @Test(arguments: [8, 80]) func aCacheThatFillsIsNeitherALeakNorNothing(count: Int) throws {
        let bytes = 5_242_880 / count
        let trend = try Self.trend(allocated: { 3_000_000 + bytes * min($0 + 1, count) })
        let amount = if case .levels(let amount) = trend.verdict { amount } else { 0.0 }
        #expect(abs(amount - 5_242_880) <= 2 * Double(bytes), "\(trend.verdict.words)")
        #expect(trend.verdict.words == "grows by \(count == 8 ? "4.4" : "4.9") MiB, then flat")
    }

    /// A series that varies by megabytes, as bodies passing through a server do.
    @Test(arguments: 1...50) func varyingSeriesDoNotLevelOff(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let swinging = try Self.trend(allocated: { _ in 3_000_000 + Int.random(in: 0..<8_000_000, using: &generator) })
        #expect(swinging.verdict == .flat)
    }

    @Test func aLeakThatBeginsLateIsFoundWithItsBeginning() throws {
        let late = try Self.trend(allocated: { 3_000_000 + 3000 * max(0, $0 - 150) })
        let start = if case .leaks(bytes: 3000, from: let start?) = late.verdict { start } else { 0 }
        #expect((130...170).contains(start), "\(late.verdict.words)")
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

    /// Blocks of a pool, put there one by one while a busy machine moves work between threads.
    @Test func aSmallTotalNeedsMoreRequestsToBeALeak() throws {
        #expect(try Self.trend(allocated: { 3_000_000 + 17 * $0 }).verdict == .flat)
        #expect(try Self.trend(allocated: { 3_000_000 + 170 * $0 }, each: 10).verdict == .undecided)
        #expect(try Self.trend(allocated: { 3_000_000 + 680 * $0 }, each: 40).verdict == .leaks(bytes: 17))
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
