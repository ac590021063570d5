// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Profiles
import Reports
import Runs

/// Pages of runs that are published with this project, with series and names that a test makes.
enum SamplePages {
    private static let results = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "results")
        .path

    static func publishedSweep() throws -> RunRecord { try RunStore.load(RunFolder(existing: results + "/sweep")) }

    /// A page with everything but a history: the answer, timelines, slopes of nothing, an icicle.
    static func run(_ change: (String) -> String = { $0 }) throws -> String {
        try withRun(change) { run, folder in
            let cell = run.plan.cases[1].identifier
            let explained = ExplanationRecord(entries: [
                ExplanationRecord.Entry(cell: cell, profile: profile(named: cell)),
                ExplanationRecord.Entry(cell: cell, obstacle: "a static binary"),
            ])
            try RunStore.write(explained, to: folder)
            return try Formats.runPage.text(of: Report(run, in: folder))
        }
    }

    /// Pages of runs that are unlike the usual one, by what is unlike.
    static let oddKinds = [
        "no trial", "no completed trial", "one trial", "one case", "400 cases", "long names",
        "right to left and controls",
    ]

    static func odd(_ kind: String) throws -> String {
        try withRun { run, folder in
            var run = run
            let cell = run.plan.cases[1]
            switch kind {
            case "no trial": run.trials = []
            case "no completed trial":
                for index in run.trials.indices { run.trials[index].outcome = Outcome(.failed, "connect: refused") }
            case "one trial": run.trials = Array(run.trials.filter { $0.cell == cell }.prefix(1))
            case "one case":
                run.plan.cases = [cell]
                run.trials.removeAll { $0.cell != cell }
            case "60 cases": fill(&run, cases: 60, trials: 10)
            case "400 cases": fill(&run, cases: 400, trials: 1)
            case "long names": rename(&run) { String(repeating: $0 + "-", count: 300 / ($0.count + 1)) }
            default: rename(&run) { "\u{202E}\($0) ملف\u{1B}[31m\u{7}\u{2066}" }
            }
            try folder.write(samples(of: run.trials), to: .samples)
            return try Formats.runPage.text(of: Report(run, in: folder))
        }
    }

    /// Gives a run cases that differ by mode alone, with the trials of all modes that fetched.
    private static func fill(_ run: inout RunRecord, cases: Int, trials: Int) {
        let done = run.trials.filter { $0.isCompleted && $0.cell.asset != Case.nullAsset }
        run.plan.cases = (0..<cases).map { renamed(done[0].cell, "mode-\($0)") }
        run.plan.modes = run.plan.cases.map(\.mode)
        run.trials = run.plan.cases.enumerated().flatMap { index, cell in
            let source = done.filter { $0.cell == done[index % done.count].cell }
            return (0..<trials).map { trial in
                copy(source[trial % source.count], of: cell, number: index * trials + trial + 1)
            }
        }
    }

    private static func renamed(_ cell: Case, _ mode: String) -> Case {
        var cell = cell
        cell.mode = mode
        return cell
    }

    private static func copy(_ trial: Trial, of cell: Case, number: Int) -> Trial {
        var trial = trial
        (trial.cell, trial.number) = (cell, number)
        return trial
    }

    private static func rename(_ run: inout RunRecord, _ name: (String) -> String) {
        func other(_ mode: String) -> String { mode == Case.nullMode ? mode : name(mode) }
        run.plan.modes = run.plan.modes.map(other)
        run.plan.cases = run.plan.cases.map { renamed($0, other($0.mode)) }
        run.trials = run.trials.map { copy($0, of: renamed($0.cell, other($0.cell.mode)), number: $0.number) }
    }

    /// A run with series in a folder that is gone afterwards.
    static func withRun<Value>(
        _ change: (String) -> String = { $0 }, trials: Int? = nil, _ use: (RunRecord, RunFolder) throws -> Value
    ) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fetchbench-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stored = RunFolder(existing: folder.path)
        // The published run that has the answer of what a download task saves.
        try RunStore.create(RunStore.load(RunFolder(existing: results + "/default")), in: stored)
        for file in [RunFolder.File.run, .log] {
            try stored.write(change(String(decoding: stored.data(of: file), as: UTF8.self)), to: file)
        }
        var run = try RunStore.load(stored)
        if let trials {
            let all = run.trials
            run.trials = (0..<trials).map { number in
                var trial = all[number % all.count]
                trial.number = number + 1
                return trial
            }
        }
        try stored.write(samples(of: run.trials), to: .samples)
        return try use(run, stored)
    }

    /// Series that go up to the peak and down again, a sample a millisecond, with noise that nothing can leave out.
    static func samples(of trials: [Trial]) -> String {
        var text = SamplesTable.header
        for trial in trials {
            let peak = trial.report?.phases.map(\.peak.resident.rawValue).max() ?? 30 << 20
            let phases: [Phase?] = [.warmup, nil, .fetch, .hold, .release]
            for index in 0..<400 {
                let rising = index < 300 ? index : 600 - 2 * index + 300
                let resident = max(1 << 20, peak * max(rising, 0) / 300 - index * 7919 % 65_536)
                let phase = phases[index * phases.count / 400]?.rawValue ?? ""
                let (half, received) = (resident / 2, index * 4096)
                let reading = "\(resident),\(half),\(half),\(received),\(resident + received)"
                text += "\(trial.number),\(index * 1_000_000),\(phase),\(reading)\n"
            }
        }
        return text
    }

    static func profile(named subject: String, function: String = "Decoder.decode(_:)") -> HolderProfile {
        HolderProfile(
            subject: subject, allocator: "glibc", explainedPeak: 32 << 20, plainPeak: 31 << 20,
            frames: [
                HolderFrame(function: "malloc", module: "libc.so.6", isSystem: true),
                HolderFrame(function: function, module: "app", file: "Decoder.swift", line: 41),
                HolderFrame(function: "main", module: "app", file: "main.swift", line: 3),
            ],
            holders: [
                Holder(stack: [0, 1, 2], bytes: 16 << 20, blockCount: 1),
                Holder(stack: [0, 2], bytes: 8 << 20, blockCount: 2, state: .freed),
            ],
            residues: [Residue(.stacks, bytes: 2 << 20), Residue(.files, name: "libx.so", bytes: 1 << 20)],
            recorder: HolderProfile.RecorderAccount(
                ownBytes: 4 << 20, allocationCount: 10, stackCount: 3, captureCount: 2, lostCount: 0, nanoseconds: 1000)
        )
    }

    /// A judgement with a red finding, a green one, a budget that is broken, and a history with a step.
    static func judgement(named cell: String = "hero/data/none/glibc") throws -> Judgement {
        try withRun { run, folder in
            var red = Finding(
                cell: cell, metric: "net_peak_growth_bytes", unit: .bytes, part: .fetchPath, verdict: .regressed)
            (red.base, red.head, red.scale, red.effect, red.interval) = (26e6, 42e6, 60e6, 0.27, 0.26...0.28)
            (red.limit, red.p, red.baseTrials, red.headTrials, red.isConfirmed) = (262_144, 0.00001, 30, 30, true)
            var green = red
            (green.verdict, green.effect, green.interval, green.metric) =
                (.unchanged, 0.0001, -0.001...0.001, "peak_anonymous_growth_bytes")
            var budget = Finding(cell: cell, metric: "copies_held_ratio", unit: .ratio, part: nil, verdict: .overBudget)
            (budget.budget, budget.head, budget.limit) = ("\(cell): k <= 1.2", 2.0, 1.2)
            var judgement = Judgement(
                tool: run.tool, kind: .check, baseName: "abc1234", headName: cell, judgedAt: "2026-01-02T03:04:05Z",
                seed: 1, findings: [red, green, budget], warnings: run.warnings, environment: run.environment)
            let history = (0..<12).map { index in
                var point = HistoryPoint(of: run)
                point.commit = "c\(index)"
                point.medians = point.medians.mapValues { $0.mapValues { index < 6 ? $0 : $0 + 8e6 } }
                return point
            }
            judgement.evidence = JudgementEvidence(run: run, folder: folder, history: history)
            return judgement
        }
    }
}
