// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Synchronization

/// One measurement from its plan to its record, new or resumed.
///
/// It consists of a locked folder, its record, its stored trials, and all that the others need. `run`, `check`, `compare`,
/// `calibrate` and `survive` are measurements that differ in the trials they run.
package struct RunMeasurement: Sendable {
    package let folder: RunFolder
    package let record: RunRecord
    package let done: [Trial]
    package let inputs: TrialInputs
    let sides: Sides?
    /// The identifier of this machine, which trials of a shard note; `nil` for all others.
    let host: String?
    /// Ends the measurement of a shard after the trial at hand: an engine that takes the machine away says so before.
    package let stop: StopRequest?
    private let lock: RunLock

    /// The mean duration of a stored trial; `nil` if there is none.
    package var usualDuration: Duration? {
        guard !done.isEmpty else { return nil }
        let sum = done.reduce(0.0) { $0 + Double($1.processNanoseconds) }
        return .nanoseconds(Int64(sum / Double(done.count)))
    }

    private init(
        _ folder: RunFolder, _ record: RunRecord, done: [Trial] = [], _ inputs: TrialInputs, _ sides: Sides?,
        host: String?, lock: RunLock
    ) {
        (self.folder, self.record, self.done, self.host) = (folder, record, done, host)
        (self.inputs, self.sides, self.lock) = (inputs, sides, lock)
        stop = record.sharding.map { _ in StopRequest() }
    }

    /// Begins a measurement in a new folder named by the record's identifier, with every check that can fail early.
    private static func begun(
        _ record: RunRecord, _ inputs: TrialInputs, _ sides: Sides? = nil, in parent: String
    ) throws -> RunMeasurement {
        let destination = try DestinationFolder.path(for: record.plan, in: inputs.harness)
        if record.plan.limitsContainers { _ = try ControlGroupAbility.session() }
        let folder = try RunFolder.create(named: record.identifier, in: parent)
        let lock = try RunLock(folder)
        do {
            try Preflight.checkRoom(
                for: record, results: folder.path, temporaryDirectory: inputs.harness.temporaryDirectory,
                destination: destination)
        } catch {
            folder.removeIfEmpty()
            throw error
        }
        var record = record
        record.identifier = folder.name
        record.environment.destinationFileSystem = destination.map { FileSystem.type(of: $0) }
        try RunStore.create(record, in: folder)
        return RunMeasurement(
            folder, record, inputs, sides, host: record.sharding?.hosts.first?.identifier, lock: lock)
    }

    /// Begins a measurement, or goes on with that of a shard: an engine runs the same command again after an interruption.
    private static func begunOrResumed(
        _ record: RunRecord, _ inputs: TrialInputs, _ sides: Sides?, in parent: String
    ) throws -> RunMeasurement {
        guard record.sharding != nil else { return try begun(record, inputs, sides, in: parent) }
        let folder = RunFolder(existing: parent + "/" + record.identifier)
        folder.removeIfEmpty()
        guard folder.has(.run) else { return try begun(record, inputs, sides, in: parent) }
        return try resumed(folder, record.kind, sides, evenIfFinished: true, in: inputs.harness) { stored in
            let differences = [
                stored.sharding?.planHash == record.sharding?.planHash ? nil : "another plan",
                stored.programs == record.programs && stored.comparison == record.comparison
                    ? nil : "measured with other programs",
                stored.replacedExecutable(among: record.executables ?? []).map {
                    "measured with another build of \($0)"
                },
                stored.budgets == record.budgets && stored.noise == record.noise
                    ? nil : "other budgets or noise floors",
            ].compactMap(\.self)
            guard differences.isEmpty else {
                throw FetchBenchError.runIsOfAnotherPlace(name: record.identifier, differences: differences)
            }
            return inputs
        }
    }

    /// Resumes an interrupted measurement.
    ///
    /// - Parameters:
    ///   - evenIfFinished: true to open one without missing trials, too.
    ///   - inputs: returns what the remaining trials need, by the stored record.
    package static func resumed(
        _ folder: RunFolder, _ kind: RunRecord.Kind, _ sides: Sides? = nil, evenIfFinished: Bool = false,
        in harness: HarnessContext, with inputs: (RunRecord) throws -> TrialInputs
    ) throws -> RunMeasurement {
        // First of all: a process that holds the folder may still write to it.
        let lock = try RunLock(folder)
        var record = try RunStore.load(folder, kinds: [kind])
        guard evenIfFinished || !isConcluded(record, in: folder) else {
            throw FetchBenchError(
                "run \(folder.name) is complete: nothing to resume", remedy: "`fetchbench report` prints it again")
        }
        let host = try checkedHost(of: &record, harness)
        let done = record.trials
        record.trials = []
        record.warnings = []
        let given = try inputs(record)
        let ordered = try sides?.ordered(for: record.plan)
        try ordered?.check(record, given)
        try TrialLog.mend(folder, keeping: done)
        return RunMeasurement(folder, record, done: done, given, ordered, host: host, lock: lock)
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
    /// - Parameter finishedAt: `nil` if it was interrupted; an earlier end is kept.
    package func finished(
        at finishedAt: String?, renderers: [any TextRenderer<Report>]
    ) throws -> Report {
        let run = record.completed(
            from: try TrialLog.trials(in: folder, of: record), finishedAt: record.finishedAt ?? finishedAt)
        try RunStore.write(run, to: folder)
        let report = try Report(run, in: folder)
        try folder.write(report, drawnBy: renderers)
        return report
    }

    package struct Step: Hashable, Sendable {
        package var slot: Plan.Slot
        package var pairing: Pairing?
        /// The number of the trial, from 1, of those that are known to come.
        package var position: Int
        /// The number of trials known to come: all of a run, or those of a stage of a comparison.
        package var count: Int
    }

    /// A request to end a measurement once the trial at hand is stored.
    package final class StopRequest: Sendable {
        private let state = Mutex(false)

        package var isMade: Bool { state.withLock { $0 } }

        package func make() { state.withLock { $0 = true } }
    }

    package enum Event: Sendable {
        case began(ProgressBoard.Item)
        /// A failed process, its description, and its cause, by which failures are grouped.
        case failed(_ which: String, _ what: String, cause: String)

        static func began(_ step: Step, isWarmup: Bool = false) -> Event {
            let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
            return .began(
                ProgressBoard.Item(
                    step.slot.cell.identifier + side, group: isWarmup ? "warm-up" : step.pairing?.stage.rawValue,
                    position: step.position, of: step.count))
        }

        static func ended(_ trial: Trial) -> Event? {
            guard !trial.isCompleted else { return nil }
            let place = (trial.pairing.map { $0.side.rawValue + ", " } ?? "") + trial.cell.identifier
            return .failed(
                "trial \(trial.number)", "\(place): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)",
                cause: "\(place): \(trial.outcome.cause)")
        }
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

extension RunMeasurement {
    /// The parent folder of a new run, and a name for this machine.
    package struct Destination: Hashable, Sendable {
        package var output: String
        package var label: String?

        package init(output: String?, label: String?) {
            self.output = output ?? RunFolder.usualParent
            self.label = label
        }
    }

    /// Begins the measurement of a request's plan, or goes on with that of a shard.
    /// - Parameter pairs: The pairs of trials of each case, instead of the plan's trials, if sides are compared.
    package static func begun(
        _ kind: RunRecord.Kind, _ sides: Sides? = nil, of request: PlanRequest, _ plan: Plan, pairs: Int? = nil,
        shard: Shard? = nil, reproduce: (PlanFlags) -> String = { $0.command() }, to destination: Destination,
        in harness: HarnessContext
    ) async throws -> RunMeasurement {
        try request.programs.check(plan)
        let sides = try sides?.ordered(for: plan)
        try sides?.counterpart?.check(plan)
        let inputs = request.inputs(in: harness)
        let flags = PlanFlags(request, redaction: harness.shellRedaction)
        var plan = plan
        plan.trials = pairs ?? plan.trials
        var record = await RunRecord.begun(
            kind, of: plan, suite: request.words.suite?.name,
            reproduce: sides?.command(flags, pairs: kind == .calibration ? plan.trials : nil) ?? reproduce(flags),
            label: destination.label, harness)
        record.comparison = try sides?.comparison(inputs, plan, isSharded: shard != nil)
        record.scenarios = request.programs.declaredScenarios(for: plan.cases, besides: sides?.counterpart)
        // A suite's budgets are those of `check`; budgets of the command line hold for every command that takes them.
        let budgets = kind == .check ? request.budgets : request.givenBudgets
        record.budgets = kind == .check || !budgets.isEmpty ? budgets.map(\.text) : nil
        record.noise = request.noise.values.isEmpty ? nil : request.noise
        try record.identify(inputs, as: shard)
        return try begunOrResumed(record, inputs, sides, in: destination.output)
    }

    /// Begins the measurement of a stored plan, or goes on with that of a shard.
    /// - Parameter inputs: returns what its trials need, by the new record.
    package static func begun(
        _ file: PlanFile, _ programs: TrialPrograms, shard: Shard?, to destination: Destination,
        in harness: HarnessContext, with inputs: (RunRecord) throws -> TrialInputs
    ) async throws -> RunMeasurement {
        let programs = programs.puttingFirst(programOf: file.plan.firstMode)
        try programs.check(file.plan)
        var record = await RunRecord.begun(
            .run, of: file.plan, suite: file.suite, reproduce: file.reproduce, label: destination.label, harness)
        record.scenarios = programs.declaredScenarios(for: file.plan.cases)
        (record.budgets, record.noise) = (file.budgets, file.noise)
        try record.identify(TrialInputs(programs: programs, commands: file.plan.commands, in: harness), as: shard)
        return try begunOrResumed(record, inputs(record), nil, in: destination.output)
    }

    /// Begins or resumes fresh trials of some cases of a run, in a folder beside it.
    package func confirming(_ run: RunRecord, of cases: [Case]) throws -> RunMeasurement {
        try inputs.checkExecutables(of: run)
        var record = RunRecord(
            identifier: run.identifier + "-confirmation", tool: run.tool, startedAt: inputs.harness.now(),
            reproduce: run.reproduce, suite: run.suite, plan: run.plan, environment: run.environment)
        (record.scenarios, record.executables) = (run.scenarios, run.executables)
        record.plan.cases = cases
        record.plan.trials = JudgementRule.storedBaseline.n2
        record.plan.seed = run.plan.seed &+ 1
        let beside = RunFolder(existing: folder.parent + "/" + record.identifier)
        if beside.has(.run), try RunStore.load(beside).plan == record.plan {
            return try Self.resumed(beside, .run, evenIfFinished: true, in: inputs.harness) { _ in inputs }
        }
        return try Self.begun(record, inputs, in: folder.parent)
    }
}

// MARK: - Trials

extension RunMeasurement {
    package typealias Listener = @Sendable (Event) -> Void

    package func run(onEvent: @escaping Listener) async throws {
        try await hosted { try await TrialRunner(self, [nil: $0], onEvent: onEvent).run() }
    }

    /// Prepares the place of the trials, runs `body` with it, and clears up.
    func hosted<Value: Sendable>(
        _ body: @escaping @Sendable (TrialInputs) async throws -> Value
    ) async throws -> Value {
        try await inputs.hosted(for: record.plan, body)
    }

    /// Returns the command that resumes it, with what the stored plan lacks: credentials, folders and sides.
    /// - Parameters:
    ///   - takesCommands: true if plain commands are arguments of the command that measures.
    ///   - flags: needed beside those of the plan.
    package func resumption(takesCommands: Bool = false, with flags: [String] = []) -> String {
        var lacking = takesCommands ? inputs.commandsToRepeat(of: record) : inputs.flagsToRepeat(of: record)
        if let sides { lacking = sides.flagsToRepeat(besides: lacking, inputs.harness.shellRedaction) }
        let command = takesCommands && record.kind == .run ? "exec" : record.kind.command
        let beginning = ["fetchbench", command, "--resume", ShellWord.pasted(folder.path)]
        return (beginning + lacking + flags).joined(separator: " ")
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
    private mutating func restrict(to shard: Shard, in harness: HarnessContext) throws {
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
    }

    /// Notes the files of the programs that the cases run, of a shard by their contents alone.
    fileprivate mutating func identify(_ inputs: TrialInputs, as shard: Shard?) throws {
        if let shard { try restrict(to: shard, in: inputs.harness) }
        if !kind.isPaired { programs = try inputs.programs.files(for: plan.cases, hashed: shard != nil) }
        executables = inputs.executables(of: plan, hashesAll: shard != nil)
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
