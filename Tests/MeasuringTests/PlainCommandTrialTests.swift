// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import OperatingSystem
import Runs
import Testing
import TrialKit

/// What a trial of a plain command comes to, of what its tracer answered.
@Suite struct PlainCommandTrialTests {
    private static let sort = Case.plain("sort", on: .glibc)

    private func trial(
        of cell: Case = sort, ignoresFailure: Bool = false, saying complaint: String = "",
        _ change: (inout TrialReport) -> Void = { _ in }
    ) throws -> Trial {
        var report = SyntheticCommand.report(SyntheticCommand.trace(2000, net: 900))
        change(&report)
        let end = ProcessEnd(
            ending: .exited(0), nanoseconds: 4_000_000, output: Array(try JSONEncoder().encode(report)))
        var assembler = TrialAssembler(
            slot: Plan.Slot(trial: 1, cell: cell, seed: 7), asset: nil, timeoutSeconds: 60)
        assembler.ignoresFailure = ignoresFailure
        assembler.complaint = complaint
        return assembler.trial(of: end)
    }

    private func failure(_ code: String, _ detail: String) -> (inout TrialReport) -> Void {
        { $0.failure = TrialReport.Failure(phase: .fetch, code: code, detail: detail, isRejection: false) }
    }

    @Test func aCommandThatEndedWellIsCompleted() throws {
        let trial = try trial()
        #expect(trial.outcome == .completed && trial.doubts.isEmpty, "nothing has to be fetched")
        #expect(trial.report?.command?.peak.resident == .kibibytes(2000))
        let fetching = Case(asset: "hero", mode: "sort", render: "none", allocator: .glibc)
        #expect(try self.trial(of: fetching).doubts.contains { $0.contains("fetched anything") })
    }

    @Test func aFailureSaysNothingOfAFetch() throws {
        let change = failure("command_status", "the command ended with status 3")
        let outcome = try trial(saying: "sort: no such file", change).outcome
        #expect(outcome == Outcome(.failed, "the command ended with status 3: sort: no such file"))
        let fetching = Case(asset: "hero", mode: "sort", render: "none", allocator: .glibc)
        let other = try trial(of: fetching, saying: "sort: no such file", change).outcome
        #expect(other.detail.hasPrefix("fetch: command_status: the command ended with status 3"))
    }

    @Test(arguments: [
        ("command_status", Outcome.Kind.failed, Outcome.Kind.completed),
        ("command_signal", .crashed, .completed), ("timed_out", .timedOut, .timedOut),
        ("memory_limit", .overLimit, .overLimit), ("command_not_started", .failed, .failed),
    ])
    func aStatusAndASignalCountWhereTheyAreIgnored(code: String, kind: Outcome.Kind, ignored: Outcome.Kind) throws {
        let strict = try trial(failure(code, "why"))
        #expect(strict.outcome == Outcome(kind, "why"))
        let lenient = try trial(ignoresFailure: true, failure(code, "why"))
        #expect(lenient.outcome == Outcome(ignored, "why"), "what happened is said either way")
    }

    @Test func whichMallocItBringsIsItsOwnAffairUnlessOneWasAskedFor() throws {
        #expect(try trial { $0.allocator.name = "jemalloc" }.outcome == .completed)
        let asked = Case.plain("sort", on: .jemalloc)
        #expect(try trial(of: asked) { $0.allocator.name = "jemalloc" }.outcome == .completed)
        let refused = try trial(of: asked).outcome
        #expect(refused.kind == .failed && refused.detail.hasPrefix("started with jemalloc"))
        let fetching = Case(asset: "hero", mode: "curl", render: "none", allocator: .glibc)
        #expect(try trial(of: fetching) { $0.allocator.name = "jemalloc" }.outcome.kind == .failed)
    }

    @Test func whatRanOnAndWhatWasPolledIsDoubted() throws {
        let trial = try trial { report in
            report.command?.processes[0].outlived = true
            report.command?.method = .polled
            report.command?.methodReason = "ptrace was refused"
        }
        #expect(trial.isCompleted && trial.doubts.count == 2)
        #expect(trial.doubts.contains { $0.contains("--wait-for-children): first") })
        #expect(trial.doubts.contains { $0.contains("ptrace was refused") })
    }

    private static let impossible: [(@Sendable (inout CommandTrace) -> Void, String)] = [
        (
            { $0.others = [Self.others(0, 5, 5)] }, "others[0].count"
        ),
        ({ $0.others = [Self.others(2, -1, 5)] }, "others[0].largest_peak_bytes"),
        ({ $0.others = [Self.others(2, 5, 4)] }, "others[0].sum_of_peaks_bytes"),
        (
            { $0.series = [Sample(timeNanoseconds: 1, resident: ByteCount(-1), shared: .zero)] },
            "series[0].resident_bytes"
        ),
        (
            { $0.series = [Sample(timeNanoseconds: 1, resident: ByteCount(1), shared: ByteCount(2))] },
            "series[0].shared_bytes"
        ),
        (
            { $0.series = [Sample(timeNanoseconds: -1, resident: ByteCount(1), shared: .zero)] },
            "series[0].time_ns"
        ),
    ]

    private static func others(_ count: Int, _ largest: Int, _ sum: Int) -> OtherProcesses {
        OtherProcesses(
            name: "cc", count: count, largestPeak: ByteCount(largest), sumOfPeaks: ByteCount(sum), threads: 1)
    }

    @Test(arguments: impossible.indices) func whatCannotBeIsRefused(index: Int) throws {
        let (change, field) = Self.impossible[index]
        let trial = try trial { report in
            guard var trace = report.command else { return }
            change(&trace)
            report.command = trace
        }
        #expect(trial.outcome.kind == .failed && trial.outcome.detail.contains(field), "\(trial.outcome.detail)")
        #expect(trial.report == nil)
    }
}
