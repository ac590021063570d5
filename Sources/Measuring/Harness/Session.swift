// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Synchronization

/// One measurement from its plan to its record, new or resumed.
///
/// It consists of a locked folder, its record, its trials and their series. `run`, `check`, `compare`, `calibrate` and
/// `survive` are sessions that differ in the trials they run.
package struct Session: Sendable {
    package let folder: RunFolder
    package let record: RunRecord
    package let done: [Trial]
    /// The identifier of this machine, which trials of a shard note; `nil` for all others.
    let host: String?
    /// Ends the session of a shard after the trial at hand: an engine that takes the machine away says so before.
    package let stop: StopRequest?
    private let lock: RunLock

    /// The mean duration of a stored trial; `nil` if there is none.
    package var usualDuration: Duration? {
        guard !done.isEmpty else { return nil }
        let sum = done.reduce(0.0) { $0 + Double($1.processNanoseconds) }
        return .nanoseconds(Int64(sum / Double(done.count)))
    }

    private init(
        _ folder: RunFolder, _ record: RunRecord, done: [Trial] = [], host: String? = nil, lock: RunLock
    ) {
        (self.folder, self.record, self.done, self.host) = (folder, record, done, host)
        stop = record.sharding.map { _ in StopRequest() }
        self.lock = lock
    }

    /// Begins a session in a new folder named by the record's identifier, with every check that can fail early.
    package static func begun(
        _ record: RunRecord, in parent: String, _ harness: HarnessContext
    ) throws -> Session {
        let destination = try DestinationFolder.path(for: record.plan, in: harness)
        if record.plan.limitsContainers { _ = try ControlGroupAbility.session() }
        let folder = try RunFolder.create(named: record.identifier, in: parent)
        let lock = try RunLock(folder)
        do {
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
        return Session(folder, record, host: record.sharding?.hosts.first?.identifier, lock: lock)
    }

    /// Begins the session of a shard, or goes on with it: an engine runs the same command again after an interruption.
    private static func begunOrResumed(
        _ record: RunRecord, in parent: String, _ harness: HarnessContext
    ) throws -> Session {
        let folder = RunFolder(existing: parent + "/" + record.identifier)
        folder.removeIfEmpty()
        guard folder.has(.run) else { return try begun(record, in: parent, harness) }
        let session = try resumed(folder, kinds: [record.kind], evenIfFinished: true, in: harness)
        let stored = session.record
        let differences = [
            stored.sharding?.planHash == record.sharding?.planHash ? nil : "another plan",
            stored.programs == record.programs && stored.comparison == record.comparison
                ? nil : "measured with other programs",
            stored.replacedExecutable(among: record.executables ?? []).map { "measured with another build of \($0)" },
            stored.budgets == record.budgets && stored.noise == record.noise ? nil : "other budgets or noise floors",
        ].compactMap(\.self)
        guard differences.isEmpty else {
            throw FetchBenchError.runIsOfAnotherPlace(name: record.identifier, differences: differences)
        }
        return session
    }

    /// Resumes an interrupted session.
    ///
    /// - Parameter evenIfFinished: true to open a session without missing trials, too.
    /// - Throws: ``FetchBenchError`` if it is finished, running, of another kind, or was measured elsewhere.
    package static func resumed(
        _ folder: RunFolder, kinds: Set<RunRecord.Kind>, evenIfFinished: Bool = false, in harness: HarnessContext
    ) throws -> Session {
        // First of all: a process that holds the folder may still write to it.
        let lock = try RunLock(folder)
        var record = try RunStore.load(folder, kinds: kinds)
        guard evenIfFinished || !isConcluded(record, in: folder) else {
            throw FetchBenchError(
                "run \(folder.name) is complete: nothing to resume", remedy: "`fetchbench report` prints it again")
        }
        let host = try checkedHost(of: &record, harness)
        let done = record.trials
        record.trials = []
        record.warnings = []
        try TrialLog.mend(folder, keeping: done)
        return Session(folder, record, done: done, host: host, lock: lock)
    }

    /// True if all is measured and the results derived from it are stored.
    private static func isConcluded(_ record: RunRecord, in folder: RunFolder) -> Bool {
        guard record.finishedAt != nil else { return false }
        return switch record.kind {
        case .run: true
        case .check, .comparison: folder.has(.judgement)
        case .calibration: folder.has(.calibration)
        case .survival: folder.has(.survival)
        }
    }

    /// Refuses another build, and another machine except for a shard, which notes that of each trial.
    /// - Returns: The identifier of this machine for a shard, to which it is added.
    private static func checkedHost(
        of record: inout RunRecord, _ harness: HarnessContext
    ) throws -> String? {
        let here = harness.machine(reachesOut: record.plan.reachesOut)
        var differences = record.tool == BuildInformation.tool ? [] : ["written by \(record.tool)"]
        var host: String?
        if var sharding = record.sharding {
            if try sharding.build != harness.build() { differences.append("measured by another build of fetchbench") }
            let known = sharding.hosts.first { $0.identifier == harness.hostIdentifier }
            differences += known.map { EnvironmentMatch($0.environment, here).hard } ?? []
            sharding.add(ShardHost(identifier: harness.hostIdentifier, environment: here))
            record.sharding = sharding
            host = harness.hostIdentifier
        } else {
            differences = EnvironmentMatch(record.environment, here).hard + differences
        }
        guard differences.isEmpty else {
            throw FetchBenchError.runIsOfAnotherPlace(name: record.identifier, differences: differences)
        }
        return host
    }

    /// Completes the record from the stored trials, and writes it and the files of the renderers.
    ///
    /// - Parameter finishedAt: `nil` for an interrupted session; an earlier end is kept.
    package func finished(
        at finishedAt: String?, renderers: [any TextRenderer<Report>]
    ) throws -> RunRecord {
        let run = record.completed(
            from: try TrialLog.trials(in: folder, of: record), finishedAt: record.finishedAt ?? finishedAt)
        try RunStore.write(run, to: folder)
        try folder.write(try Report(run, in: folder), drawnBy: renderers)
        return run
    }

    package struct Step: Hashable, Sendable {
        package var slot: Plan.Slot
        /// The side and stage of a pair; `nil` in a run.
        package var pairing: Pairing?
        /// The number of the trial, from 1, of those that are known to come.
        package var position: Int
        /// The number of trials known to come: all of a run, or those of a stage of a comparison.
        package var count: Int
    }

    /// A request to end a session once the trial at hand is stored.
    package final class StopRequest: Sendable {
        private let state = Mutex(false)

        package var isMade: Bool { state.withLock { $0 } }

        package func make() { state.withLock { $0 = true } }
    }
}

extension RunFolder {
    /// Writes the renderers' files of a run, but for those that have nothing to draw.
    package func write(_ report: Report, drawnBy renderers: [any TextRenderer<Report>]) throws {
        for renderer in renderers {
            guard let file = renderer.file else { continue }
            do {
                try write(try renderer.pieces(of: report), to: file)
            } catch let error as FetchBenchError where error.kind == .noAnswer {}
        }
    }
}

extension Session {
    /// The parent folder of a new session, and a name for this machine.
    package struct Destination: Hashable, Sendable {
        package var output: String
        package var label: String?

        package init(output: String?, label: String?) {
            self.output = output ?? RunFolder.usualParent
            self.label = label
        }
    }

    package static func begun(
        _ kind: RunRecord.Kind, of request: PlanRequest, _ plan: Plan, comparison: Comparison? = nil,
        counterpart: TrialPrograms? = nil, shard: Shard? = nil,
        reproduce: (PlanFlags) -> String = { $0.command() }, to destination: Destination,
        in harness: HarnessContext
    ) async throws -> Session {
        try request.programs.check(plan)
        let command = reproduce(PlanFlags(request, redaction: harness.shellRedaction))
        var record = await RunRecord.begun(
            kind, of: plan, suite: request.words.suite?.name, reproduce: command, label: destination.label, harness)
        record.comparison = comparison
        let inputs = request.inputs(in: harness)
        record.scenarios = request.programs.declaredScenarios(for: plan.cases, besides: counterpart)
        // A suite's budgets are those of `check`; budgets of the command line hold for every command that takes them.
        let budgets = kind == .check ? request.budgets : request.givenBudgets
        record.budgets = kind == .check || !budgets.isEmpty ? budgets.map(\.text) : nil
        record.noise = request.noise.values.isEmpty ? nil : request.noise
        return try begun(record, inputs, shard, in: destination.output)
    }

    /// Begins a session of a stored plan, or goes on with that of a shard.
    package static func begun(
        _ file: PlanFile, _ programs: TrialPrograms, shard: Shard?, to destination: Destination,
        in harness: HarnessContext
    ) async throws -> Session {
        let programs = programs.puttingFirst(programOf: file.plan.firstMode)
        try programs.check(file.plan)
        var record = await RunRecord.begun(
            .run, of: file.plan, suite: file.suite, reproduce: file.reproduce, label: destination.label, harness)
        let inputs = TrialInputs(programs: programs, commands: file.plan.commands, in: harness)
        record.scenarios = programs.declaredScenarios(for: file.plan.cases)
        (record.budgets, record.noise) = (file.budgets, file.noise)
        return try begun(record, inputs, shard, in: destination.output)
    }

    private static func begun(
        _ record: RunRecord, _ inputs: TrialInputs, _ shard: Shard?, in parent: String
    ) throws -> Session {
        var record = record
        guard let shard else {
            try record.identify(inputs, isShard: false)
            return try begun(record, in: parent, inputs.harness)
        }
        try record.restrict(to: shard, inputs)
        return try begunOrResumed(record, in: parent, inputs.harness)
    }

    /// Begins or resumes fresh trials of some cases of a run, in a folder beside that of the run.
    /// - Throws: ``FetchBenchError/runIsOfAnotherPlace(name:differences:)`` if a command's program has been replaced.
    package static func confirming(
        _ run: RunRecord, in folder: RunFolder, of cases: [Case], _ inputs: TrialInputs
    ) throws -> Session {
        let harness = inputs.harness
        try inputs.checkExecutables(of: run)
        var record = RunRecord(
            identifier: run.identifier + "-confirmation", tool: run.tool, startedAt: harness.now(),
            reproduce: run.reproduce, suite: run.suite, plan: run.plan, environment: run.environment)
        (record.scenarios, record.executables) = (run.scenarios, run.executables)
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

extension RunRecord {
    fileprivate static func begun(
        _ kind: Kind, of plan: Plan, suite: String?, reproduce: String, label: String?, _ harness: HarnessContext
    ) async -> RunRecord {
        let revision = await harness.revision()
        let startedAt = harness.now()
        let suffix = SourceRevision.runSuffix(of: revision) + ([.run, .check].contains(kind) ? "" : "-" + kind.command)
        return RunRecord(
            kind, identifier: startedAt.filter { $0 != "-" && $0 != ":" } + "-" + suffix, tool: BuildInformation.tool,
            startedAt: startedAt, reproduce: reproduce, suite: suite, plan: plan,
            environment: harness.machine(reachesOut: plan.reachesOut).stamped(revision, label: label))
    }

    /// Leaves the cases of a shard in the plan, to be measured on this machine.
    fileprivate mutating func restrict(to shard: Shard, _ inputs: TrialInputs) throws {
        let harness = inputs.harness
        let host = ShardHost(identifier: harness.hostIdentifier, environment: environment)
        // The same name each time, so that the same command finds what it has measured.
        let hash = try plan.hash()
        identifier = "plan-\(hash.prefix(12))-shard-\(shard.number)-of-\(shard.count)"
        let place = Sharding(
            shard, planHash: hash, blocks: kind.isPaired ? Sharding.usualBlocks : nil, build: try harness.build(),
            on: host)
        sharding = place
        planOfShards = plan
        plan.cases = place.cases(of: shard, in: plan)
        try identify(inputs, isShard: true)
    }

    /// Notes the files of the programs that the cases run, of a shard by their contents alone.
    fileprivate mutating func identify(_ inputs: TrialInputs, isShard: Bool) throws {
        if !kind.isPaired { programs = try inputs.programs.files(for: plan.cases, hashed: isShard) }
        executables = inputs.executables(of: plan, hashesAll: isShard)
    }
}

package enum SessionEvent: Sendable {
    case began(ProgressBoard.Item)
    /// A failed process, its description, and its cause, by which failures are grouped.
    case failed(_ which: String, _ what: String, cause: String)

    static func began(_ step: Session.Step, isWarmup: Bool = false) -> SessionEvent {
        let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
        return .began(
            ProgressBoard.Item(
                step.slot.cell.identifier + side, group: isWarmup ? "warm-up" : step.pairing?.stage.rawValue,
                position: step.position, of: step.count))
    }

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
