// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
package import OperatingSystem
package import Runs
import Statistics
import TrialKit

/// One measurement from its plan to its record, new or resumed.
///
/// It consists of a locked folder, its record, its trials and their series. `run`, `check`, `compare` and `calibrate`
/// are sessions that differ in the trials they run.
package struct Session: Sendable {
    package let folder: RunFolder
    /// The plan and environment, without trials during the session.
    package let record: RunRecord
    package let done: [Trial]
    private let lock: RunLock

    /// The mean duration of a stored trial; `nil` if there is none.
    package var usualDuration: Duration? {
        guard !done.isEmpty else { return nil }
        let sum = done.reduce(0.0) { $0 + Double($1.processNanoseconds) }
        return .nanoseconds(Int64(sum / Double(done.count)))
    }

    private init(_ folder: RunFolder, _ record: RunRecord, done: [Trial] = [], lock: RunLock) {
        self.folder = folder
        self.record = record
        self.done = done
        self.lock = lock
    }

    /// Begins a session in a new folder named by the record's identifier, with every check that can fail early.
    package static func begun(
        _ record: RunRecord, in parent: String, _ harness: HarnessContext
    ) throws(FetchBenchError) -> Session {
        let destination = try DestinationFolder.path(for: record.plan, in: harness)
        if record.plan.limitsContainers { _ = try ControlGroupAbility.session() }
        let folder = try RunFolder.create(named: record.identifier, in: parent)
        let lock = try RunLock(folder)
        do throws(FetchBenchError) {
            try Preflight.checkRoom(
                for: record, results: folder.path, temporaryDirectory: harness.temporaryDirectory,
                destination: destination)
        } catch {
            folder.removeIfEmpty()
            throw error
        }
        var record = record
        record.identifier = folder.name
        record.environment.destinationFileSystem = destination.map { FileSystem.type(of: $0) }
        try RunStore.create(record, in: folder)
        return Session(folder, record, lock: lock)
    }

    /// Resumes an interrupted session.
    ///
    /// - Parameter evenIfFinished: true to open a session without missing trials, too.
    /// - Throws: ``FetchBenchError`` if it is finished, running, of another kind, or was measured elsewhere.
    package static func resumed(
        _ folder: RunFolder, kinds: Set<RunRecord.Kind>, evenIfFinished: Bool = false, in harness: HarnessContext
    ) throws(FetchBenchError) -> Session {
        // First of all: a process that holds the folder may still write to it.
        let lock = try RunLock(folder)
        var record = try RunStore.load(folder, kinds: kinds)
        guard evenIfFinished || !isConcluded(record, in: folder) else {
            throw FetchBenchError.runFinished(name: folder.name)
        }
        try checkPlace(of: record, here: harness.machine())
        let done = record.trials
        record.trials = []
        record.warnings = []
        try TrialLog.mend(folder, keeping: done)
        return Session(folder, record, done: done, lock: lock)
    }

    /// True if all is measured and the results derived from it are stored.
    private static func isConcluded(_ record: RunRecord, in folder: RunFolder) -> Bool {
        guard record.finishedAt != nil else { return false }
        return switch record.kind {
        case .run: true
        case .check, .comparison: folder.has(.judgement)
        case .calibration: folder.has(.calibration)
        }
    }

    /// Refuses another machine or build: the stored environment would not be that of the new trials.
    private static func checkPlace(of record: RunRecord, here: MachineEnvironment) throws(FetchBenchError) {
        let tools = record.tool == BuildInformation.tool ? [] : ["written by \(record.tool)"]
        let differences = EnvironmentMatch(record.environment, here).hard + tools
        guard differences.isEmpty else {
            throw FetchBenchError.runIsOfAnotherPlace(name: record.identifier, differences: differences)
        }
    }

    /// Completes the record from the stored trials, and writes it and the files of the renderers.
    ///
    /// - Parameter finishedAt: `nil` for an interrupted session; an earlier end is kept.
    package func finished(
        at finishedAt: String?, renderers: [any TextRenderer<Report>]
    ) throws(FetchBenchError) -> RunRecord {
        let run = record.completed(
            from: try TrialLog.trials(in: folder, of: record), finishedAt: record.finishedAt ?? finishedAt)
        try RunStore.write(run, to: folder)
        try folder.write(try Report(run, in: folder), drawnBy: renderers)
        return run
    }
}

extension RunFolder {
    /// Writes the renderers' files of a run, but for those that have nothing to draw.
    package func write(_ report: Report, drawnBy renderers: [any TextRenderer<Report>]) throws(FetchBenchError) {
        for renderer in renderers {
            guard let file = renderer.file else { continue }
            do throws(FetchBenchError) {
                try write(try renderer.pieces(of: report), to: file)
            } catch {
                guard case .nothingToDraw = error else { throw error }
            }
        }
    }
}

extension Session {
    /// The parent folder of a new session, and a name for this machine.
    package struct Destination: Hashable, Sendable {
        package var output: String
        package var label: String?

        /// Uses the usual folder for `nil`.
        package init(output: String?, label: String?) {
            self.output = output ?? RunFolder.usualParent
            self.label = label
        }
    }

    /// Begins a session of a plan.
    ///
    /// - Parameters:
    ///   - counterpart: the programs of the head, if they differ.
    ///   - reproduce: makes a command that repeats the session from the flags of the plan.
    package static func begun(
        _ kind: RunRecord.Kind, of request: PlanRequest, _ plan: Plan, comparison: Comparison? = nil,
        counterpart: TrialPrograms? = nil,
        reproduce: (PlanFlags) -> String = { $0.command() }, to destination: Destination,
        in harness: HarnessContext
    ) async throws(FetchBenchError) -> Session {
        try request.programs.check(plan)
        let revision = await harness.revision()
        let startedAt = harness.now()
        let suffix = SourceRevision.runSuffix(of: revision) + (kind.isPaired ? "-" + kind.command : "")
        var record = RunRecord(
            kind, identifier: startedAt.filter { $0 != "-" && $0 != ":" } + "-" + suffix, tool: BuildInformation.tool,
            startedAt: startedAt, reproduce: reproduce(PlanFlags(request, redaction: harness.shellRedaction)),
            suite: request.words.suite?.name, plan: plan,
            environment: harness.machine().stamped(revision, label: destination.label))
        record.comparison = comparison
        record.programs = kind.isPaired ? nil : request.programs.files(for: plan.cases)
        record.scenarios = request.programs.declaredScenarios(for: plan.cases, besides: counterpart)
        // A suite's budgets are those of `check`; budgets of the command line hold for every command that takes them.
        let budgets = kind == .check ? request.budgets : request.givenBudgets
        record.budgets = kind == .check || !budgets.isEmpty ? budgets.map(\.text) : nil
        record.noise = request.noise.values.isEmpty ? nil : request.noise
        return try begun(record, in: destination.output, harness)
    }

    /// Begins or resumes fresh trials of some cases of a run, in a folder beside that of the run.
    package static func confirming(
        _ run: RunRecord, in folder: RunFolder, of cases: [Case], harness: HarnessContext
    ) throws(FetchBenchError) -> Session {
        var record = RunRecord(
            identifier: run.identifier + "-confirmation", tool: run.tool, startedAt: harness.now(),
            reproduce: run.reproduce, suite: run.suite, plan: run.plan, environment: run.environment)
        record.scenarios = run.scenarios
        record.plan.cases = cases
        record.plan.trials = JudgementRule.storedBaseline.n2
        record.plan.seed = run.plan.seed &+ 1
        let beside = RunFolder(existing: folder.parent + "/" + record.identifier)
        if beside.has(.run), try RunStore.load(beside).plan == record.plan {
            return try resumed(beside, kinds: [.run], evenIfFinished: true, in: harness)
        }
        return try begun(record, in: folder.parent, harness)
    }
}

/// One trial of a session and its place in the sequence.
package struct SessionStep: Hashable, Sendable {
    package var slot: Plan.Slot
    /// The side and stage of a pair; `nil` in a run.
    package var pairing: Pairing?
    /// The number of the trial, from 1, of those that are known to come.
    package var position: Int
    /// The number of trials known to come: all of a run, or those of a stage of a comparison.
    package var count: Int
}

/// An event for the display of progress.
package enum SessionEvent: Sendable {
    case began(ProgressBoard.Item)
    /// A failed process, its description, and its cause, by which failures are grouped.
    case failed(_ which: String, _ what: String, cause: String)

    static func began(_ step: SessionStep, isWarmup: Bool = false) -> SessionEvent {
        let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
        return .began(
            ProgressBoard.Item(
                step.slot.cell.identifier + side, group: isWarmup ? "warm-up" : step.pairing?.stage.rawValue,
                position: step.position, of: step.count))
    }

    /// The event of a trial that ended and is stored; `nil` if it completed.
    static func ended(_ trial: Trial) -> SessionEvent? {
        guard !trial.isCompleted else { return nil }
        let place = (trial.pairing.map { $0.side.rawValue + ", " } ?? "") + trial.cell.identifier
        return .failed(
            "trial \(trial.number)", "\(place): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)",
            cause: "\(place): \(trial.outcome.cause)")
    }
}

extension RunRecord {
    /// Returns the record completed from its trials, with their allocators and doubts; `finishedAt` is `nil` for an
    /// interrupted run.
    package func completed(from trials: [Trial], finishedAt: String?) -> RunRecord {
        var run = self
        run.trials = trials
        run.finishedAt = finishedAt
        for trial in trials {
            if let allocator = trial.report?.allocator, trial.isCompleted, trial.report?.command == nil {
                run.environment.allocators[trial.cell.allocator.rawValue] = allocator
            }
        }
        run.warnings += RunDoubts.all(of: run)
        return run
    }
}
