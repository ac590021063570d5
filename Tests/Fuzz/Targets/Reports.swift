// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import OperatingSystem
import Reports
import Runs
import TrialKit

extension FuzzTarget {
    /// What a trial's process answers.
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

    /// What a program says that is asked what it can do.
    static let descriptions = FuzzTarget(name: "description", summary: "answers to --describe") { bytes, draws in
        let description = try ProgramDescription(checking: bytes)
        let again = try JSONDecoder().decode(ProgramDescription.self, from: JSONEncoder().encode(description))
        try promise(again == description, "what a description says is lost when it is written")
        guard draws else { return }
        let programs = TrialPrograms(executables: [TrialExecutable(path: "/nowhere/trial", description: description)])
        for mode in description.modes {
            var words = PlanWords()
            words.modes = [mode.name]
            words.conditions = ["concurrency": ["4"]]
            _ = try? PlanRequest(words, programs)
        }
    }

    /// What a program says that is asked what it costs.
    static let costs = FuzzTarget(name: "cost", summary: "answers to --costs") { bytes, draws in
        let trial = try CostAnswer(spawnedNanoseconds: 1, output: bytes).trial(fetching: .kibibytes(1))
        var row = CostRow(name: "trial", linkage: .dynamic, mode: "data", binary: .mebibytes(1))
        row.trials = [trial, trial]
        let table = CostTable(
            tool: "fetchbench", measuredAt: "2026-01-01T00:00:00Z", trials: 2, seed: 1,
            environment: try FuzzContext.run.get().environment, rows: [row])
        for format in Formats.ofCosts where draws || format.name == "table" { _ = try format.text(of: table) }
    }
}

/// The version of a report, which is that of its request.
private struct Version: Decodable {
    let version: Int
}

/// Nothing came of an input, without an error that would say so.
struct Refused: Error {}

/// A process that answered, and what has to hold of the trial that is made of it.
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
