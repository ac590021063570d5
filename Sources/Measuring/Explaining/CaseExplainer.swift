// SPDX-License-Identifier: Apache-2.0

import Profiles
package import Runs

/// Explains cases by two trials that are not measured: one plain, and one with the recorder.
package struct CaseExplainer: Sendable {
    /// The factor of the time limit for trials in which stacks are walked.
    private static let slowdown = 4.0

    private let plain: TrialExecutor
    private let recorded: TrialExecutor
    private let plan: Plan
    private let inputs: TrialInputs
    private let symbolizer: Symbolizer

    package init(_ plan: Plan, _ inputs: TrialInputs, recorder: RecorderLibrary) throws {
        (self.plan, self.inputs) = (plan, inputs)
        symbolizer = Symbolizer(searchPath: inputs.place.variables.searchPath)
        plain = try TrialExecutor(plan, inputs)
        var slower = plan
        slower.settings.timeoutSeconds *= Self.slowdown
        // The recorder's tables are not memory of the program.
        slower.settings.memoryLimit = slower.settings.memoryLimit.map { $0 + .mebibytes(64) }
        var recording = inputs
        recording.recorder = recorder
        recorded = try TrialExecutor(slower, recording)
    }

    /// Explains a case, or returns its obstacle; `number` is unique in the place of these trials, from 0.
    func entry(of cell: Case, number: Int, side: Side? = nil) async throws -> ExplanationRecord.Entry {
        // Numbers above those of any plan, so that no folder's name is taken.
        let slot = Plan.Slot(trial: 900_000 + 2 * number, cell: cell, seed: plan.seed)
        let unexplained = { ExplanationRecord.Entry(cell: cell.identifier, side: side, obstacle: $0) }
        if let obstacle = linkageObstacle(of: cell) { return unexplained(obstacle) }
        let plainTrial = try await plain.trial(for: slot).trial
        // A cancelled trial has not failed.
        try Task.checkCancellation()
        if let obstacle = Self.obstacle(of: plainTrial) { return unexplained(obstacle) }
        var second = slot
        second.trial += 1
        let recorded = try await recorded.recordedTrial(for: second)
        try Task.checkCancellation()
        if let obstacle = Self.obstacle(of: recorded.trial) { return unexplained(obstacle) }
        var entry: RecordingFolder.Entry
        do {
            entry = try Self.entry(of: recorded, plain: plainTrial)
        } catch {
            return unexplained("\(error)")
        }
        // SIGTERM ends most servers, after all that is measured.
        if cell.isServer { entry.peak.account.wasCutOff = nil }
        var peak = await ProfileBuilder(peak: entry.peak, baseline: entry.baseline).named(by: symbolizer).profile(
            of: cell.identifier, allocator: cell.allocator.rawValue,
            explainedPeak: Self.peak(of: recorded.trial, entry), plainPeak: Self.plainPeak(of: plainTrial, entry))
        if let all = plainTrial.report?.command?.treeMaximum, all.processes > 1 {
            peak.tree = HolderProfile.Tree(processes: all.processes, bytes: (all.net ?? all.resident).rawValue)
        }
        var held: HolderProfile?
        if side != nil, let baseline = entry.baseline { held = await start(of: cell, baseline) }
        // Naming that was cancelled has left out names.
        try Task.checkCancellation()
        return ExplanationRecord.Entry(cell: cell.identifier, side: side, profile: peak, start: held)
    }

    /// Explains all the memory held at the mark, none of which is growth.
    private func start(of cell: Case, _ baseline: Recording) async -> HolderProfile {
        await ProfileBuilder(peak: baseline, baseline: nil).named(by: symbolizer).profile(
            of: cell.identifier, allocator: cell.allocator.rawValue,
            explainedPeak: baseline.resident - baseline.ownBytes, plainPeak: nil)
    }

    private func linkageObstacle(of cell: Case) -> String? {
        let path = inputs.program(of: cell, in: plan) ?? inputs.programs.executable(for: cell)?.path
        return path.flatMap { ProgramLinkage.obstacle(at: $0) }
    }

    private static func obstacle(of trial: Trial) -> String? {
        // A process that was killed for its memory has left its last recording.
        guard !trial.isCompleted, ![.killedByLimit, .overLimit].contains(trial.outcome.kind) else { return nil }
        return "its trial \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
    }

    /// Returns the recordings of the process to explain: the one that recorded its mark, or a command's largest one.
    /// - Throws: The reason why there is none.
    private static func entry(of recorded: TrialExecutor.RecordedTrial, plain: Trial) throws -> RecordingFolder.Entry {
        let entries = try recorded.recordings.get()
        let entry: RecordingFolder.Entry
        if let command = recorded.trial.report?.command {
            entry = try ExplainedProcess(of: entries).entry(
                recorded: command.processes, plain: plain.report?.command?.processes ?? [])
        } else if let first = RecordingFolder.first(of: entries) {
            entry = first
        } else {
            throw FetchBenchError("its program was built without the recorder's marks; rebuild it")
        }
        guard !entry.peak.hasOwnMalloc else {
            throw FetchBenchError("it has its own malloc, so the recorder cannot be preloaded")
        }
        return entry
    }

    /// The kernel's figure of the explained process, without the recorder's memory.
    private static func peak(of trial: Trial, _ entry: RecordingFolder.Entry) -> Int {
        if entry.baseline != nil, let growth = trial.peakResidentGrowth { return growth.rawValue }
        return entry.peak.highest - entry.peak.ownBytes
    }

    /// The same figure without the recorder; of a command that of its largest process.
    private static func plainPeak(of trial: Trial, _ entry: RecordingFolder.Entry) -> Int? {
        if entry.baseline != nil { return trial.peakResidentGrowth?.rawValue }
        return trial.report?.command?.processes.map(\.peak.resident.rawValue).max()
    }
}

/// Called before each of several trials that are not measured, with its case and its position from 1.
package typealias ExtraTrialListener = @Sendable (_ cell: Case, _ position: Int, _ count: Int) -> Void

extension Plan {
    /// Explains every case; one that cannot be explained is an entry with its obstacle.
    package func explained(
        _ inputs: TrialInputs, onBegin: @escaping ExtraTrialListener
    ) async throws -> ExplanationRecord {
        let recorder = try RecorderLibrary(beside: inputs.harness.executable)
        return try await inputs.hosted(for: self) { inputs in
            try await explained(fetchingCases, [(nil, inputs)], recorder, onBegin)
        }
    }
}

extension RunMeasurement {
    package func explained(_ cells: [Case], onBegin: @escaping ExtraTrialListener) async throws -> ExplanationRecord {
        let recorder = try RecorderLibrary(beside: inputs.harness.executable)
        return try await hosted { inputs in
            let sides = try Side.allCases.map { (Optional($0), try self.inputs(of: $0, in: inputs)) }
            return try await record.plan.explained(cells, sides, recorder, onBegin)
        }
    }
}

extension Plan {
    fileprivate func explained(
        _ cells: [Case], _ sides: [(Side?, TrialInputs)], _ recorder: RecorderLibrary,
        _ onBegin: ExtraTrialListener
    ) async throws -> ExplanationRecord {
        let explainers = try sides.map { ($0, try CaseExplainer(self, $1, recorder: recorder)) }
        var entries: [ExplanationRecord.Entry] = []
        for cell in cells {
            for (side, explainer) in explainers {
                try Task.checkCancellation()
                onBegin(cell, entries.count + 1, cells.count * sides.count)
                entries.append(try await explainer.entry(of: cell, number: entries.count, side: side))
            }
        }
        return ExplanationRecord(entries: entries)
    }
}
