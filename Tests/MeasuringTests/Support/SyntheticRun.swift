// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
@_exported import TestSupport

/// Runs whose every figure is fixed, so that their reports can be compared to the letter.
enum SyntheticRun {
    /// A finished run of the whole matrix: three trials each, one of them with a wrong body, one crashed.
    static func complete() throws -> RunRecord {
        let plan = Plan.synthetic()
        var run = record(plan)
        var trials = try plan.slots.map { try trial($0, plan: plan) }
        try damage(&trials, first: Case(asset: "hero", mode: "raw", render: "none", allocator: .jemalloc)) {
            Outcome(.wrongBody, "13099007 bytes instead of \($0.assetByteCount?.rawValue ?? 0)")
        }
        try damage(&trials, first: Case(asset: "hero", mode: "data", render: "thumbnail", allocator: .glibc)) { _ in
            Outcome(.crashed, "signal 11 (Segmentation fault): \u{1B}[31m| <b>boom</b>")
        }
        run = run.completed(from: trials, finishedAt: "2026-01-02T03:06:07Z")
        run.warnings.append(RunWarning("a header said `x|y`\n# and more", remedy: "ask the *origin*"))
        return run
    }

    /// An interrupted run of a foreign asset, of which no trial completed.
    static func hopeless() throws -> RunRecord {
        let foreign = Asset(
            name: "big.jpg", location: "https://REDACTED@example.org/big.jpg?token=REDACTED", isEmbedded: false)
        let plan = Plan.synthetic(
            assets: [foreign], modes: [FakeMode(name: "data")], models: [FakeModel(name: "none", needsBody: false)],
            allocators: [.glibc], trials: 2)
        let trials = try plan.slots.map { slot -> Trial in
            var synthetic = SyntheticTrial()
            synthetic.number = slot.trial
            synthetic.cell = slot.cell
            synthetic.asset = plan.asset(of: slot.cell)
            synthetic.seed = slot.seed
            var end = try synthetic.end()
            end.ending = .killedAtLimit
            end.output = []
            return TrialAssembler(slot: slot, asset: synthetic.asset, timeoutSeconds: 60).trial(of: end)
        }
        return record(plan).completed(from: trials, finishedAt: nil)
    }

    static func record(_ plan: Plan) -> RunRecord {
        RunRecord(
            identifier: "20260102T030405Z-abc1234", tool: "fetchbench 0.1.0", startedAt: "2026-01-02T03:04:05Z",
            reproduce: "fetchbench run --suite default.yml", suite: "default", plan: plan, environment: environment)
    }

    private static func damage(
        _ trials: inout [Trial], first cell: Case, _ outcome: (Trial) -> Outcome
    ) throws {
        guard let index = trials.firstIndex(where: { $0.cell == cell }) else { throw MissingCase(cell: cell) }
        trials[index].outcome = outcome(trials[index])
    }

    private struct MissingCase: Error {
        let cell: Case
    }

    /// Figures in the proportions that real ones have; each round of the plan moves them by a few KiB.
    private static func trial(_ slot: Plan.Slot, plan: Plan) throws -> Trial {
        var synthetic = SyntheticTrial()
        synthetic.number = slot.trial
        synthetic.cell = slot.cell
        synthetic.asset = plan.asset(of: slot.cell)
        synthetic.seed = slot.seed
        synthetic.allocatorName = slot.cell.allocator.preloadedLibrary == nil ? "glibc" : "jemalloc"
        let size = synthetic.asset?.byteCount ?? .zero
        let jitter = ByteCount.kibibytes(12 * ((slot.trial - 1) / plan.cases.count))
        let held = slot.cell.mode == "data" ? size : ByteCount.kibibytes(64)
        let picture: ByteCount =
            switch slot.cell.render {
            case "imageview": ByteCount(96_000_000)
            case "thumbnail": ByteCount(11_850_000)
            default: .zero
            }
        synthetic.peaks = [
            .fetch: fetchPeak(of: slot.cell, size: size) + jitter, .hold: held + jitter,
            .render: held + picture + jitter,
        ]
        synthetic.ends = [.fetch: held, .hold: held, .render: held + picture, .release: .kibibytes(512)]
        if ["download", "stream", "raw"].contains(slot.cell.mode) { synthetic.pageCache = size }
        if picture > .zero { synthetic.bitmap = picture }
        return try synthetic.trial()
    }

    private static func fetchPeak(of cell: Case, size: ByteCount) -> ByteCount {
        switch cell.mode {
        case "data": size + size + .kibibytes(cell.allocator == .glibc ? 200 : 2_300)
        case "download": .kibibytes(3_100)
        case "stream": .kibibytes(5_200)
        case "raw": .kibibytes(420)
        default: .kibibytes(60)
        }
    }

    static var environment: MachineEnvironment {
        var machine = EnvironmentProbe.environment(
            temporaryDirectory: "/", commit: "abc1234", hasUncommittedChanges: false, label: "bench|1")
        (machine.architecture, machine.processor, machine.processorCount) = ("x86_64", "A <Processor> of 2026", 2)
        (machine.pageSize, machine.memory, machine.peakErrorBound) = (
            ByteCount(4096), .mebibytes(4096), .kibibytes(744)
        )
        (machine.kernel, machine.libc, machine.swift) = ("6.18.0", "glibc 2.36", "6.3")
        (machine.buildConfiguration, machine.transparentHugePages) = ("release", "madvise")
        (machine.exactness, machine.canResetPeak, machine.canReadMappings) = ("exact", true, true)
        machine.temporaryFileSystem = "ext4"
        machine.conditions = ["allowed processors": "2"]
        return machine
    }
}

/// A trial whose every figure follows from a few numbers: what the process would have answered, and the samples that
/// the harness would have taken of it.
struct SyntheticTrial {
    var number = 1
    var cell = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
    var asset: Asset? = .hero
    var seed: UInt64 = 7
    var baselineShared = ByteCount.mebibytes(18)
    var baselineAnonymous = ByteCount.mebibytes(6)
    /// How far anonymous memory rises over the baseline in a phase.
    var peaks: [Phase: ByteCount] = [.fetch: .mebibytes(25), .hold: .mebibytes(12), .render: .mebibytes(12)]
    var ends: [Phase: ByteCount] = [
        .fetch: .mebibytes(12), .hold: .mebibytes(12), .render: .mebibytes(12), .release: .mebibytes(1),
    ]
    /// The program pages among what is shared, at the baseline and after; `nil` where the kernel hides them.
    var programPages: (before: ByteCount, after: ByteCount)? = (.mebibytes(7), .mebibytes(9))
    var settled = ByteCount.kibibytes(900)
    var purged = ByteCount.kibibytes(300)
    var pageCache: ByteCount?
    var bitmap: ByteCount?
    var records: Int?
    var bodySHA256: String? = Asset.hero.sha256
    var allocatorName = "glibc"

    /// The instant at which each measured phase begins, and how long it lasts.
    static let times: [Phase: (start: Int, length: Int)] = [
        .fetch: (1_000_000_000, 200_000_000), .hold: (1_201_000_000, 30_000_000),
        .render: (1_232_000_000, 150_000_000), .release: (1_383_000_000, 5_000_000),
    ]

    func trial() throws -> Trial {
        let assembler = TrialAssembler(slot: slot, asset: asset, timeoutSeconds: 60)
        return assembler.trial(of: try end())
    }

    var slot: Plan.Slot {
        var slot = Plan.synthetic().slots[0]
        slot.trial = number
        slot.cell = cell
        slot.seed = seed
        return slot
    }

    func end() throws -> ProcessEnd {
        ProcessEnd(
            ending: .exited(0), nanoseconds: 1_450_000_000, output: Array(try JSONEncoder().encode(try report())),
            series: SampleSeries(samples: samples))
    }

    func report() throws -> TrialReport {
        var report = TrialReport(
            version: 1,
            allocator: AllocatorIdentity(name: allocatorName, version: allocatorName == "glibc" ? "2.36" : "5.3.0"),
            exactness: "exact", hugePagesDisabled: true)
        report.baseline = mark(at: 990_000_000, growth: .zero)
        report.baseline?.memory.programPages = programPages?.before
        report.phases = Phase.measured.map(reading(of:))
        report.settled = mark(at: 1_500_000_000, growth: settled)
        report.purged = mark(at: 1_510_000_000, growth: purged)
        if let size = asset?.byteCount {
            report.body = try .synthetic(byteCount: size, sha256: bodySHA256, pageCache: pageCache)
        }
        if let bitmap { report.picture = try .synthetic(bitmap) }
        report.recordCount = records
        return report
    }

    /// A sample every 5 ms of each phase: the one in the middle is at the peak, those behind it at what is left.
    var samples: [Sample] {
        Phase.measured.flatMap { phase -> [Sample] in
            let (start, length) = Self.times[phase] ?? (0, 0)
            let middle = length / 10_000_000
            return (0...length / 5_000_000).map { step in
                let growth =
                    step < middle && phase == .fetch ? .zero : step == middle ? peak(of: phase) : end(of: phase)
                return Sample(
                    timeNanoseconds: start + step * 5_000_000,
                    resident: baselineShared + baselineAnonymous + growth, shared: baselineShared)
            }
        }
    }

    private func peak(of phase: Phase) -> ByteCount { peaks[phase] ?? end(of: phase) }

    private func end(of phase: Phase) -> ByteCount { ends[phase] ?? .zero }

    private func reading(of phase: Phase) -> PhaseReading {
        let (start, length) = Self.times[phase] ?? (0, 0)
        return PhaseReading(
            phase: phase, startNanoseconds: start, endNanoseconds: start + length, cpuNanoseconds: length / 4,
            startShared: baselineShared,
            peak: PeakReading(
                resident: baselineShared + baselineAnonymous + peak(of: phase), source: .highWaterMark,
                errorBound: .kibibytes(744)),
            end: mark(at: start + length, growth: end(of: phase)))
    }

    private func mark(at nanoseconds: Int, growth: ByteCount) -> Mark {
        let isJemalloc = allocatorName == "jemalloc"
        let allocated = ByteCount.mebibytes(4) + growth
        return Mark(
            memory: Snapshot(
                timeNanoseconds: nanoseconds, resident: baselineShared + baselineAnonymous + growth,
                anonymous: baselineAnonymous + growth, programPages: programPages?.after, threads: 4,
                cpuNanoseconds: nanoseconds / 10),
            allocator: AllocatorStatistics(
                allocated: allocated, active: isJemalloc ? allocated + .kibibytes(64) : nil,
                resident: isJemalloc ? allocated + .mebibytes(1) : nil))
    }
}

extension Asset {
    /// The hero image as the origin describes it, with a hash that is easy to recognise.
    static let hero = Asset(
        name: "hero", location: "/hero.jpg", isEmbedded: true, byteCount: ByteCount(13_099_008),
        sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", mediaType: "image/jpeg")
}

extension BodyReading {
    /// A body as a trial's document words it.
    static func synthetic(
        byteCount: ByteCount, sha256: String?, pageCache: ByteCount? = nil
    ) throws -> BodyReading {
        var fields: [String: Any] = ["bytes": byteCount.rawValue, "verification_cpu_ns": 9_500_000]
        fields["sha256"] = sha256
        fields["page_cache_bytes"] = pageCache?.rawValue
        return try JSONDecoder().decode(BodyReading.self, from: JSONSerialization.data(withJSONObject: fields))
    }
}

extension PictureReading {
    /// A picture of the hero's size as a trial's document words it.
    static func synthetic(_ bitmap: ByteCount) throws -> PictureReading {
        let fields = ["width": 6000, "height": 4000, "bitmap_bytes": bitmap.rawValue]
        return try JSONDecoder().decode(PictureReading.self, from: JSONSerialization.data(withJSONObject: fields))
    }
}

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
