// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Reports
import Runs
import Testing
import TrialKit

@Suite struct AllocatorCurveTests {
    /// What a process and its allocator hold at an instant, in MiB beyond the start.
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

    private static func sample(_ instant: Instant, _ allocator: String) -> AllocatorSample {
        let resident = ByteCount.mebibytes(100 + instant.resident)
        let allocated = ByteCount.mebibytes(50 + instant.allocated)
        let held = ByteCount.mebibytes(50 + instant.held)
        let isJemalloc = allocator == "jemalloc"
        return AllocatorSample(
            timeNanoseconds: instant.time, memory: ResidentReading(resident: resident, shared: .mebibytes(30)),
            allocator: AllocatorStatistics(
                allocated: allocated, active: isJemalloc ? allocated : nil, resident: isJemalloc ? held : nil,
                mapped: isJemalloc ? .mebibytes(900) : held, retained: isJemalloc ? .zero : nil))
    }

    private static let inFetch = 1_100_000_000
    private static let settling = 1_450_000_000

    @Test(arguments: ["glibc", "jemalloc"])
    func whatIsLeftIsKeptByWhoeverHoldsMost(allocator: String) throws {
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

    /// What a program says of its own is checked before it is used.
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
