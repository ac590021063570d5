// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import Profiles
import Reports
import Runs

extension FuzzTarget {
    /// Files in a run's folder that `report`, `compare` and `--resume` read.
    static let storedRuns = [
        FuzzTarget(name: "run", summary: "run.json of a finished run", drawingInterval: 256) { bytes, draws in
            try FuzzContext.store(bytes, as: .run)
            try FuzzContext.store(try FuzzContext.trialsText.get(), as: .log)
            let run = try RunStore.load(FuzzContext.storage)
            try StoredRun.check(run)
            guard draws else { return }
            try StoredRun.checkRoundTrip(run)
            StoredRun.draw(run)
        },
        FuzzTarget(name: "trials", summary: "trials.jsonl of an interrupted run", drawingInterval: 256) {
            bytes, draws in
            try FuzzContext.store(try FuzzContext.unfinishedText.get(), as: .run)
            try FuzzContext.store(bytes, as: .log)
            let run = try RunStore.load(FuzzContext.storage)
            try StoredRun.check(run)
            try StoredRun.checkRoundTrip(run.trials)
            guard draws else { return }
            try FuzzContext.store(Array("trial,time_ns\n1,2\n".utf8), as: .samples)
            try TrialLog.mend(FuzzContext.storage, keeping: run.trials)
            let again = try RunStore.load(FuzzContext.storage)
            try promise(again.trials == run.trials, "resuming changes the trials")
            StoredRun.draw(run)
        },
        FuzzTarget(name: "samples", summary: "samples.csv", drawingInterval: 256) { bytes, draws in
            try FuzzContext.store(bytes, as: .samples)
            var series = DecimatedSeries(slices: 16)
            try SampleScanner.scan(FuzzContext.storage, wanted: { _ in true }, use: { series.add($0) })
            try promise(series.slices.count <= 16, "more slices than there are to be")
            if draws { StoredRun.draw(try FuzzContext.run.get(), in: FuzzContext.storage) }
        },
        FuzzTarget(name: "allocator", summary: "allocator.csv", drawingInterval: 256) { bytes, draws in
            try FuzzContext.store(bytes, as: .allocator)
            defer { try? FileManager.default.removeItem(atPath: FuzzContext.storage.path(of: .allocator)) }
            let curves = try AllocatorCurve.all(in: FuzzContext.storage)
            try promise(curves.allSatisfy { !$0.rows.isEmpty }, "a curve without readings")
            for curve in curves { _ = (curve.atPeak, curve.atEnd, curve.keeper) }
            try AllocatorCurve.write(curves, to: FuzzContext.storage)
            // Names are made harmless when they are written.
            let again = try AllocatorCurve.all(in: FuzzContext.storage)
            try promise(again.flatMap(\.rows) == curves.flatMap(\.rows), "read again, it is another curve")
            if draws { StoredRun.draw(try FuzzContext.run.get(), in: FuzzContext.storage) }
        },
    ]
}

enum StoredRun {
    /// Asks everything of a run that a command asks before it draws.
    static func check(_ run: RunRecord) throws {
        _ = run.casesShortOfTrials
        let known = try FuzzContext.run.get()
        for (base, head) in [(known, run), (run, known)] {
            _ = StoredComparison(base: base, head: head, allowsMismatch: true).judgement(
                tool: run.tool, at: run.startedAt)
        }
        _ = HistoryPoint(of: run)
    }

    /// Trials are what they were when they are written and read again.
    static func checkRoundTrip(_ trials: [Trial]) throws {
        let encoder = JSONEncoder()
        for trial in trials {
            let again = try JSONDecoder().decode(Trial.self, from: try encoder.encode(trial))
            try promise(again == trial, "a trial is another one when it is read again")
        }
    }

    static func checkRoundTrip(_ run: RunRecord) throws {
        try RunStore.create(run, in: FuzzContext.storage)
        try promise(try RunStore.load(FuzzContext.storage) == run, "a run is another one when it is read again")
    }

    /// Draws a run in every format, and the comparison of it with itself; a format may have nothing to draw.
    static func draw(_ run: RunRecord, in folder: RunFolder? = nil) {
        let report = folder.flatMap { try? Report(run, in: $0) } ?? Report(run)
        for format in Formats.ofRuns { _ = try? format.text(of: report) }
        let judgement = StoredComparison(base: run, head: run, allowsMismatch: true).judgement(
            tool: run.tool, at: run.startedAt)
        for format in Formats.ofJudgements { _ = try? format.text(of: judgement) }
    }
}

extension FuzzTarget {
    /// Files besides runs: baselines, histories, judgements, explanations.
    static let storedConclusions = [
        FuzzTarget(name: "baseline", summary: "baseline.json") { bytes, draws in
            let baseline = try Baseline(parsing: Data(bytes), from: "baseline.json")
            let run = try FuzzContext.run.get()
            let comparison = BaselineComparison(
                baseline: baseline, run: run, allowsMismatch: true,
                judge: CaseJudge(rule: .storedBaseline, seed: 1, noise: NoiseFloors()))
            let findings = comparison.findings(confirmedBy: nil)
            let again = try Baseline(parsing: Data(try baseline.text().utf8), from: "baseline.json")
            try promise(again == baseline, "a baseline is another one when it is read again")
            guard draws else { return }
            draw(
                Judgement(
                    tool: run.tool, kind: .storedRuns, baseName: "a", headName: "b", judgedAt: run.startedAt, seed: 1,
                    findings: findings, warnings: comparison.warnings, environment: run.environment))
            _ = try Baseline(of: run, after: baseline).text()
        },
        FuzzTarget(name: "history", summary: "history.jsonl") { bytes, _ in
            let path = FuzzContext.storage.path + "/history"
            try FuzzContext.store(bytes, at: path)
            let points = try History.points(at: path)
            _ = History.warnings(about: points)
            try FuzzContext.store([], at: path)
            for point in points { try History.append(point, to: path) }
            try promise(try History.points(at: path) == points, "a history is another one when it is read again")
        },
        FuzzTarget(name: "judgement", summary: "judgement.json, calibration.json") { bytes, draws in
            try FuzzContext.store(bytes, as: .judgement)
            try FuzzContext.store(bytes, as: .calibration)
            if let calibration = try? RunStore.calibration(in: FuzzContext.storage) {
                for format in Formats.ofCalibrations { _ = try? format.text(of: calibration) }
                return
            }
            let judgement = try RunStore.judgement(in: FuzzContext.storage)
            if draws { draw(judgement) }
        },
        FuzzTarget(name: "explanation", summary: "explain.json") { bytes, draws in
            try FuzzContext.store(try FuzzContext.runText.get(), as: .run)
            try FuzzContext.store(bytes, as: .explanation)
            for entry in try RunStore.explanation(in: FuzzContext.storage).entries {
                guard let profile = entry.profile else { continue }
                _ = HolderTable(profile).plain
                for format in ProfileFormats.all where draws {
                    _ = try format.bytes(of: profile)
                }
            }
            if draws { StoredRun.draw(try FuzzContext.run.get(), in: FuzzContext.storage) }
        },
    ]

    private static func draw(_ judgement: Judgement) {
        for format in Formats.ofJudgements { _ = try? format.text(of: judgement) }
    }

    static let reports = FuzzTarget(name: "report", summary: "trial reports") { bytes, draws in
        var run = try FuzzContext.run.get()
        guard let slot = run.plan.slots.first(where: { $0.cell.mode != Case.nullMode }) else { throw Refused() }
        let asset = run.plan.asset(of: slot.cell)
        let known = run.trials.first { $0.cell == slot.cell }
        var assembler = TrialAssembler(slot: slot, asset: asset, timeoutSeconds: 60)
        assembler.limits = .any
        assembler.asked = ReportWitness.Asked(
            version: try JSONDecoder().decode(Version.self, from: Data(bytes)).version, verification: .sha256,
            fetches: true)
        let end = AnsweredTrial.end(bytes, like: known)
        let trial = assembler.trial(of: end)
        guard trial.report != nil else { throw Refused() }
        try AnsweredTrial.check(trial, of: asset, in: run.plan)
        _ = SamplesTable.text(of: trial, samples: end.series.samples)
        try StoredRun.checkRoundTrip([trial])
        run.trials = [trial]
        if draws { StoredRun.draw(run) }
    }

    static let descriptions = FuzzTarget(name: "description", summary: "answers to --describe") { bytes, draws in
        let description = try ProgramDescription(checking: bytes)
        let again = try JSONDecoder().decode(ProgramDescription.self, from: JSONEncoder().encode(description))
        try promise(again == description, "what a description says is lost when it is written")
        guard draws else { return }
        let programs = TrialPrograms(executables: [TrialExecutable(path: "/nowhere/trial", description: description)])
        for mode in description.modes {
            var words = PlanWords()
            words[.modes] = [mode.name]
            words.conditions = ["concurrency": ["4"]]
            _ = try? PlanRequest(words, programs)
        }
    }

    static let costs = FuzzTarget(name: "cost", summary: "answers to --costs") { bytes, draws in
        let trial = try CostRunner.Answer(spawnedNanoseconds: 1, output: bytes).trial(fetching: .kibibytes(1))
        var row = CostRow(name: "trial", linkage: .dynamic, mode: "data", binary: .mebibytes(1))
        row.trials = [trial, trial]
        let table = CostTable(
            tool: "fetchbench", measuredAt: "2026-01-01T00:00:00Z", trials: 2, seed: 1,
            environment: try FuzzContext.run.get().environment, rows: [row])
        for format in Formats.ofCosts where draws || format.name == "table" { _ = try format.text(of: table) }
    }
}

private struct Version: Decodable {
    let version: Int
}

/// Nothing came of an input, without an error that would say so.
struct Refused: Error {}

private enum AnsweredTrial {
    /// The end of the process, with samples that agree with the report of a real one.
    static func end(_ bytes: [UInt8], like known: Trial?) -> ProcessEnd {
        let samples = (known?.report?.phases ?? []).map { phase in
            let memory = phase.end.memory
            return Sample(
                timeNanoseconds: phase.endNanoseconds, resident: memory.resident,
                shared: memory.resident - memory.anonymous)
        }
        return ProcessEnd(
            ending: .exited(0), nanoseconds: 900_000_000, output: bytes, series: SampleSeries(samples: samples))
    }

    /// No trial is completed without what was asked for.
    static func check(_ trial: Trial, of asset: Asset?, in plan: Plan) throws(BrokenPromise) {
        guard trial.isCompleted, let report = trial.report else { return }
        try promise(report.failure == nil, "completed, although it says what failed")
        if let asset, report.command == nil, trial.cell.conditions.scenario == .none {
            try promise(report.body?.byteCount == asset.byteCount, "completed with a body of another length")
            if plan.settings.verification == .sha256, let expected = asset.sha256 {
                try promise(report.body?.sha256 == expected, "completed without the SHA-256 that was asked for")
            }
        }
        if report.command == nil {
            try promise(trial.peakResidentGrowth != nil, "completed without a peak")
        }
    }
}
