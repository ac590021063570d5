// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import OperatingSystem
import Runs
import TrialKit

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

    /// The record of a run that begins, on a machine that is none.
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
        machine.architecture = "x86_64"
        machine.processor = "A <Processor> of 2026"
        machine.processorCount = 2
        machine.pageSize = ByteCount(4096)
        machine.memory = .mebibytes(4096)
        machine.kernel = "6.18.0"
        machine.libc = "glibc 2.36"
        machine.swift = "6.3"
        machine.buildConfiguration = "release"
        machine.transparentHugePages = "madvise"
        machine.exactness = "exact"
        machine.peakErrorBound = .kibibytes(744)
        machine.canResetPeak = true
        machine.canReadMappings = true
        machine.temporaryFileSystem = "ext4"
        return machine
    }
}
