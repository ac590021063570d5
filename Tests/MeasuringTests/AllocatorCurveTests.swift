// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Reports
import Runs
import Testing

@Suite struct AllocatorCurveTests {
    /// The memory of a process and its allocator at an instant, in MiB above the start.
    private struct Instant {
        let time: Int
        let resident: Int
        let allocated: Int
        let held: Int
    }

    /// The curve of the usual synthetic trial: 100 MiB at the start, the peak in `fetch`, and what is left at its end.
    private static func curve(
        peak: Instant, end: Instant, allocator: String = "jemalloc", name: String = "data"
    ) throws -> AllocatorCurve {
        var synthetic = SyntheticTrial()
        synthetic.cell.mode = name
        var trial = try synthetic.trial()
        let start = Instant(time: 980_000_000, resident: 0, allocated: 0, held: 10)
        let purged = Instant(time: 1_505_000_000, resident: 0, allocated: 0, held: 10)
        trial.report?.allocatorSeries = AllocatorSeries([start, peak, end, purged].map { sample($0, allocator) })
        return try #require(AllocatorCurve(trial))
    }

    private static func sample(_ instant: Instant, _ allocator: String) -> AllocatorSampler.Sample {
        let resident = ByteCount.mebibytes(100 + instant.resident)
        let allocated = ByteCount.mebibytes(50 + instant.allocated)
        let held = ByteCount.mebibytes(50 + instant.held)
        let isJemalloc = allocator == "jemalloc"
        return AllocatorSampler.Sample(
            timeNanoseconds: instant.time, memory: ResidentReading(resident: resident, shared: .mebibytes(30)),
            allocator: AllocatorStatistics(
                allocated: allocated, active: isJemalloc ? allocated : nil, resident: isJemalloc ? held : nil,
                mapped: isJemalloc ? .mebibytes(900) : held, retained: isJemalloc ? .zero : nil))
    }

    private static let inFetch = 1_100_000_000
    private static let settling = 1_450_000_000

    @Test(arguments: ["glibc", "jemalloc"])
    func theRemainderBelongsToTheLargestHolder(allocator: String) throws {
        let peak = Instant(time: Self.inFetch, resident: 64, allocated: 50, held: 70)
        let cases: [(Instant, AllocatorCurve.Keeper)] = [
            (Instant(time: Self.settling, resident: 1, allocated: 1, held: 10), .nobody),
            (Instant(time: Self.settling, resident: 40, allocated: 30, held: 45), .program),
            (Instant(time: Self.settling, resident: 40, allocated: 5, held: 45), .allocator),
            (Instant(time: Self.settling, resident: 40, allocated: 5, held: 16), .elsewhere),
        ]
        for (end, keeper) in cases {
            let curve = try Self.curve(peak: peak, end: end, allocator: allocator)
            let atPeak = try #require(curve.atPeak)
            #expect(atPeak.resident == 64 << 20 && atPeak.program == 50 << 20)
            // 70 - 50 is held beyond the program's blocks, 10 of them before the fetch.
            #expect(atPeak.allocator == 10 << 20 && atPeak.elsewhere == 4 << 20)
            let atEnd = try #require(curve.atEnd)
            #expect(atEnd.resident == end.resident << 20 && atEnd.program == end.allocated << 20)
            #expect(curve.keeper == keeper)
        }
    }

    /// Pages of glibc's heap that were given back or never touched are mapped as before.
    @Test func anAllocatorKeepsNoMoreThanIsResident() throws {
        let end = Instant(time: Self.settling, resident: 3, allocated: 2, held: 400)
        let peak = Instant(time: Self.inFetch, resident: 300, allocated: 290, held: 400)
        let curve = try Self.curve(peak: peak, end: end, allocator: "glibc")
        #expect(curve.atEnd?.allocator == 1 << 20 && curve.atEnd?.elsewhere == 0)
    }

    @Test func phasesAreThoseOfTheTrialAndItsEnd() throws {
        let curve = try Self.curve(
            peak: Instant(time: Self.inFetch, resident: 64, allocated: 50, held: 70),
            end: Instant(time: Self.settling, resident: 1, allocated: 1, held: 10))
        #expect(curve.rows.map(\.phase) == ["warmup", "fetch", "settle", "purge"])
        #expect(curve.rows.map(\.time) == [0, 120_000_000, 470_000_000, 525_000_000])
    }

    @Test func aFileIsReadAsItWasWritten() throws {
        try withFolder { folder in
            let end = Instant(time: Self.settling, resident: 40, allocated: 30, held: 45)
            let peak = Instant(time: Self.inFetch, resident: 64, allocated: 50, held: 70)
            let curves = try [("glibc", "data"), ("jemalloc", "a \"quoted\", mode")].map {
                try Self.curve(peak: peak, end: end, allocator: $0.0, name: $0.1)
            }
            #expect(try AllocatorCurve.all(in: folder).isEmpty)
            try AllocatorCurve.write(curves, to: folder)
            #expect(try AllocatorCurve.all(in: folder) == curves)
        }
    }

    @Test(arguments: [
        "", "case,time_ns", "x,1,fetch,1,1,1,,,", "x,1,noon,1,1,1,,,,", "x,-1,fetch,1,1,1,,,,", "x,1,fetch,,1,1,,,,",
        "x,1,fetch,1,1,1,a,,,", "x,1,fetch,99999999999999999999,1,1,,,,", "\"x,1,fetch,1,1,1,,,,",
    ])
    func anythingElseIsRefused(line: String) throws {
        try withFolder { folder in
            try AllocatorCurve.write([], to: folder)
            let text = try String(contentsOfFile: folder.path(of: .allocator), encoding: .utf8)
            try folder.write(line.isEmpty ? "case\n" : text + line + "\n", to: .allocator)
            #expect(throws: FetchBenchError.self) { try AllocatorCurve.all(in: folder) }
        }
    }

    /// Figures from a program are validated before use.
    @Test func impossibleSeriesAreMistakesOfTheReport() throws {
        let samples = [1_000, 2_000].map { time in
            Self.sample(Instant(time: time, resident: 1, allocated: 1, held: 10), "jemalloc")
        }
        var report = try SyntheticTrial().report()
        report.allocatorSeries = AllocatorSeries(samples)
        #expect(ReportCheck.mistakes(in: report, limits: .any).isEmpty)
        let spoils: [(String, (inout AllocatorSeries) -> Void)] = [
            ("time_ns", { $0.times = [2_000, 1_000] }), ("time_ns", { $0.times = [-1, 1_000] }),
            ("resident_bytes", { $0.resident.removeLast() }),
            ("allocator_active_bytes", { $0.active = [] }),
            ("anonymous_bytes", { $0.anonymous[0] = ByteCount(-1) }),
            ("allocator_allocated_bytes", { $0.allocated[1] = ByteCount(.max) }),
        ]
        for (field, spoil) in spoils {
            var spoilt = report
            spoilt.allocatorSeries.map { series in
                var series = series
                spoil(&series)
                spoilt.allocatorSeries = series
            }
            let mistakes = ReportCheck.mistakes(in: spoilt, limits: .any).map(\.description)
            #expect(mistakes.count == 1 && mistakes[0].contains("allocator_series.\(field)"), "\(mistakes)")
        }
    }

    private func withFolder(_ body: (RunFolder) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/allocator-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(RunFolder(existing: path))
    }
}

/// Times are in milliseconds here, sizes in KiB.
struct SamplingGapTests {
    /// A phase from `start` to `end` in which file-backed memory goes from 100 to 150 KiB and the peak is 1000 KiB.
    private func reading(from start: Int, to end: Int) -> PhaseReading {
        PhaseReading(
            phase: .fetch, startNanoseconds: start * 1_000_000, endNanoseconds: end * 1_000_000, cpuNanoseconds: 0,
            startShared: .kibibytes(100),
            peak: PeakReading(resident: .kibibytes(1000), source: .highWaterMark, errorBound: .zero),
            end: Mark(
                memory: Snapshot(
                    timeNanoseconds: end * 1_000_000, resident: .kibibytes(600), anonymous: .kibibytes(450), threads: 1,
                    cpuNanoseconds: 0), allocator: nil))
    }

    private func samples(_ times: some Sequence<Int>, shared: (Int) -> Int = { _ in 120 }) -> [Sample] {
        times.map {
            Sample(timeNanoseconds: $0 * 1_000_000, resident: .kibibytes(700), shared: .kibibytes(shared($0)))
        }
    }

    private func gaps(_ reading: PhaseReading, _ samples: [Sample]) -> [TrialAssembler.SamplingGap] {
        TrialAssembler.SamplingGap.gaps(in: reading, samples: samples)
    }

    @Test func upToFiveIntervalsAreNoGap() {
        #expect(gaps(reading(from: 0, to: 20), samples(stride(from: 0, through: 20, by: 5))).isEmpty)
        #expect(gaps(reading(from: 0, to: 20), samples([0, 5, 11, 15])).map(\.start) == [5_000_000])
    }

    @Test func aGapKnowsItsReadings() {
        let found = gaps(reading(from: 0, to: 20), samples([0, 4, 12, 16]) { $0 < 10 ? 110 : 140 })
        #expect(found == [TrialAssembler.SamplingGap(start: 4_000_000, end: 12_000_000, shared: .kibibytes(110))])
    }

    @Test func theMarksOfThePhaseAreReadings() {
        let late = gaps(reading(from: 0, to: 20), samples([8, 12, 16]))
        #expect(late == [TrialAssembler.SamplingGap(start: 0, end: 8_000_000, shared: .kibibytes(100))])
        let lost = gaps(reading(from: 0, to: 20), samples([0, 4, 8]))
        #expect(lost == [TrialAssembler.SamplingGap(start: 8_000_000, end: 20_000_000, shared: .kibibytes(120))])
        let none = gaps(reading(from: 0, to: 20), [])
        #expect(none == [TrialAssembler.SamplingGap(start: 0, end: 20_000_000, shared: .kibibytes(100))])
        #expect(gaps(reading(from: 0, to: 5), []).isEmpty, "a short phase needs no sample")
    }

    @Test func timeBetweenPhasesIsNotAGap() {
        #expect(gaps(reading(from: 100, to: 104), samples([0, 99, 200])).isEmpty)
    }

    @Test func theSlowScheduleHasLongerGaps() {
        // The first sample came 0.3 ms late, so that 10 s after it the sampler has been slow for 0.3 ms already.
        let times = [300_000] + (1...9999).map { $0 * 1_000_000 } + (0...10).map { 10_000_000_000 + $0 * 10_000_000 }
        let samples = times.map { Sample(timeNanoseconds: $0, resident: .kibibytes(700), shared: .kibibytes(120)) }
        #expect(gaps(reading(from: 9000, to: 10_100), samples).isEmpty)
        let late = samples.filter { !(10_020_000_000...10_060_000_000).contains($0.timeNanoseconds) }
        #expect(gaps(reading(from: 9000, to: 10_100), late).map(\.start) == [10_010_000_000])
    }

    @Test func aGapHidesNoMoreThanThePeakLessWhatFilesHeldThroughout() {
        let growing = AnonymousPeak(
            reading(from: 0, to: 20), samples: samples([0, 4, 12, 16]) { $0 < 10 ? 110 : 150 })
        #expect(growing.gapBound == .kibibytes(890))
        #expect(growing.proven == .kibibytes(850))
        // Once the files are as large as at the end, the peak of the phase says everything.
        let grown = AnonymousPeak(reading(from: 0, to: 20), samples: samples([0, 4, 12, 16]) { _ in 150 })
        #expect(grown.gapBound == grown.proven)
    }
}
