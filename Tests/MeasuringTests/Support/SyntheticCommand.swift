// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import Runs
import TrialKit

/// Trials of plain commands whose every figure is chosen.
enum SyntheticCommand {
    /// A process of a command; the first one is the command itself.
    static func process(_ order: Int, _ name: String, _ kibibytes: Int, net: Int?) -> ProcessTrace {
        ProcessTrace(
            order: order, parentOrder: order == 1 ? nil : 1, name: name,
            peak: PeakReading(
                resident: .kibibytes(kibibytes), source: .highWaterMarkWithoutReset, errorBound: .kibibytes(100)),
            programPages: net.map { .kibibytes(kibibytes - $0) }, netPeak: net.map { .kibibytes($0) }, threads: order,
            startNanoseconds: 0, endNanoseconds: 1)
    }

    /// A command that held so many KiB by itself; with others it held 200 KiB less at once than all of them together.
    static func trace(_ kibibytes: Int, net: Int?, others: [(String, Int)] = []) -> CommandTrace {
        let processes =
            [process(1, "first", kibibytes, net: net)]
            + others.enumerated().map { index, other in
                process(index + 2, other.0, other.1, net: net == nil ? nil : other.1)
            }
        let sum = kibibytes + others.reduce(0) { $0 + $1.1 }
        return CommandTrace(
            method: .exitStops, exitStatus: 0, startNanoseconds: 1_000_000, endNanoseconds: 3_500_000,
            cpuNanoseconds: 500_000, processes: processes,
            treeMaximum: TreeMaximum(
                resident: .kibibytes(others.isEmpty ? sum : sum - 200), anonymous: .zero,
                net: net.map { .kibibytes($0) }, timeNanoseconds: 2, processes: processes.count))
    }

    /// What its tracer would have answered.
    static func report(_ trace: CommandTrace) -> TrialReport {
        var report = TrialReport(
            version: 1, allocator: AllocatorIdentity(name: "unknown"), exactness: "exact", hugePagesDisabled: true)
        report.command = trace
        report.baseline = mark(at: trace.startNanoseconds, programPages: trace.programPages.map { _ in .zero })
        report.phases = [
            PhaseReading(
                phase: .fetch, startNanoseconds: trace.startNanoseconds, endNanoseconds: trace.endNanoseconds,
                cpuNanoseconds: trace.cpuNanoseconds, startShared: .zero, peak: trace.peak,
                end: mark(at: trace.endNanoseconds))
        ]
        return report
    }

    /// The trial as the harness would store it.
    static func trial(_ number: Int, of cell: Case, _ trace: CommandTrace) -> Trial {
        Trial(
            number: number, cell: cell, seed: 7, outcome: .completed, report: report(trace),
            anonymousPeaks: [AnonymousPeak(phase: .fetch, sampledMaximum: trace.treeMaximum.anonymous)],
            samplesDegraded: false, processNanoseconds: 4_000_000, doubts: [])
    }

    /// A run of plain commands, ten trials each as far as they were made.
    static func run(
        of commands: [String], named names: [String] = [], _ trials: [Trial],
        change: (inout CommandSettings) -> Void = { _ in }
    ) throws -> RunRecord {
        var asked = CommandsRequest(commands: commands)
        asked.names = names
        let request = try PlanRequest.plain(asked) { change(&$0.commandSettings) }
        let plan = Plan(
            of: request.modes, renderedBy: [], parameters: request.parameters.all, assets: [],
            allocators: request.allocators, trials: request.values.trials, seed: request.values.seed,
            settings: request.values.settings)
        var record = SyntheticRun.record(plan)
        record.reproduce = PlanFlags(request, redaction: RedactedCommand(folders: [:])).execCommand()
        return record.completed(from: trials, finishedAt: "2026-01-02T03:06:07Z")
    }

    private static func mark(at nanoseconds: Int, programPages: ByteCount? = nil) -> Mark {
        Mark(
            memory: Snapshot(
                timeNanoseconds: nanoseconds, resident: .zero, anonymous: .zero, programPages: programPages,
                threads: 0, cpuNanoseconds: 0), allocator: nil)
    }
}

extension PlanRequest {
    /// The request of plain commands alone, where no trial program is.
    static func plain(
        _ asked: CommandsRequest, _ change: (inout PlanWords) -> Void = { _ in }
    ) throws -> PlanRequest {
        var words = PlanWords()
        words.plainCommands = try asked.plainCommands(redaction: HarnessContext.fake("/tmp").redaction)
        change(&words)
        return try PlanRequest(words, TrialPrograms(executables: []))
    }
}
