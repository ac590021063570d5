// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import MemProbe

/// One run from its plan to its report, new or resumed.
struct RunSession: Sendable {
    /// Where it is stored.
    let folder: RunFolder
    private let record: RunRecord
    private let done: [Trial]
    private let url: String?
    private let commands: [String: ExternalCommand]
    private let programs: TrialPrograms
    private let lock: RunLock

    /// The flags that resuming needs again, because what is stored lacks credentials or folders.
    private var flagsToRepeat: String {
        let lacksURL = record.plan.assets.contains { !$0.isEmbedded && $0.location != url }
        let names = record.plan.commands.filter { $0.isRedacted == true }.map(\.name)
        return (lacksURL ? " --url URL" : "") + names.map { " --exec '\($0)=…'" }.joined()
    }

    /// Prepares a new run: everything that can fail early fails here, before the first trial.
    init(_ request: PlanRequest, output: String, label: String?) async throws {
        url = request.url
        commands = request.commands
        programs = request.programs
        done = []
        let plan = try await request.plan()
        let revision = await SourceRevision.current()
        let now = Surroundings.now()
        folder = try RunFolder.create(named: "\(now.compact)-\(SourceRevision.runSuffix(of: revision))", in: output)
        lock = try RunLock(folder)
        do {
            try Preflight.checkRoom(
                for: plan, results: folder.path, temporaryDirectory: Surroundings.temporaryDirectory)
        } catch {
            rmdir(folder.path)
            throw error
        }
        record = RunRecord(
            identifier: folder.name, tool: BuildInformation.tool, startedAt: now.text,
            reproduce: PlanFlags(request).command, suite: request.suiteName, plan: plan,
            environment: EnvironmentProbe.environment(
                temporaryDirectory: Surroundings.temporaryDirectory, commit: revision?.commit,
                hasUncommittedChanges: revision?.hasUncommittedChanges, label: label))
        try RunStore.create(record, in: folder)
    }

    /// Prepares fresh trials of some cases of a run, in a folder beside it.
    init(confirming run: RunRecord, plan: Plan, request: PlanRequest, output: String) async throws {
        url = request.url
        commands = request.commands
        programs = request.programs
        done = []
        folder = try RunFolder.create(named: run.identifier + "-confirmation", in: output)
        lock = try RunLock(folder)
        try Preflight.checkRoom(
            for: plan, results: folder.path, temporaryDirectory: Surroundings.temporaryDirectory)
        var record = run
        record.identifier = folder.name
        record.plan = plan
        record.startedAt = Surroundings.now().text
        record.finishedAt = nil
        record.trials = []
        record.warnings = []
        self.record = record
        try RunStore.create(record, in: folder)
    }

    /// Takes up an interrupted run.
    init(
        resuming folder: RunFolder, url: String?, commands: [String: ExternalCommand], programs: TrialPrograms
    ) async throws {
        var record = try RunStore.load(folder)
        guard record.finishedAt == nil else { throw FetchBenchError.runFinished(name: folder.name) }
        lock = try RunLock(folder)
        try Self.checkPlace(of: record)
        self.folder = folder
        done = record.trials
        record.trials = []
        record.warnings = []
        self.record = record
        let stored = record.plan.assets.first { !$0.isEmbedded }?.location
        if let url, let stored, RedactedURL.text(of: url) != stored {
            throw FetchBenchError.malformedRun(name: folder.name, reason: "it was measured on another URL: \(stored)")
        }
        self.url = url ?? stored
        self.commands = commands
        let first = record.plan.modes.first { mode in mode != Case.nullMode && !commands.keys.contains(mode) }
        self.programs = programs.puttingFirst(programOf: first)
        for command in record.plan.commands where command.isRedacted == true {
            guard let given = commands[command.name], Surroundings.redaction.command(given) == command else {
                throw FetchBenchError.malformedRun(
                    name: folder.name,
                    reason:
                        "command \(command.name) is stored without its secrets and folders; give it again with --exec")
            }
        }
        try RunStore.prepareToResume(folder, keeping: done)
    }

    /// Does the trials.
    private func measure(_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws {
        try await TrialHost(record.plan, url: url, commands: commands, programs: programs).run { surroundings in
            try await PlanRunner(plan: record.plan, surroundings: surroundings, folder: folder)
                .run(done: done, onEvent: onEvent)
        }
    }

    /// Trials of another machine or build under the old environment would be a lie.
    private static func checkPlace(of record: RunRecord) throws {
        let here = EnvironmentProbe.environment(
            temporaryDirectory: Surroundings.temporaryDirectory, commit: nil, hasUncommittedChanges: nil, label: nil)
        let tools = record.tool == BuildInformation.tool ? [] : ["written by \(record.tool)"]
        let differences = EnvironmentMatch(record.environment, here).hard + tools
        guard differences.isEmpty else {
            throw FetchBenchError.runIsOfAnotherPlace(name: record.identifier, differences: differences)
        }
    }

    /// Does the trials with progress and Ctrl-C, keeps what was measured whatever happens, and completes the record.
    /// - Throws: ``ExitStatus`` where the run ended early; what to do is said already.
    func measured(isQuiet: Bool, drawsProgress: Bool = true) async throws -> RunRecord {
        let progress = Progress(isDrawn: drawsProgress && !isQuiet && Console.drawsProgress, isQuiet: isQuiet)
        do {
            try await Interrupt.whileListening { try await measure { progress.show($0) } }
        } catch {
            progress.finish()
            try interrupted(by: error)
        }
        progress.finish()
        return try finish(isComplete: true)
    }

    /// Keeps what was measured, says how to go on, and ends with the right status.
    private func interrupted(by error: any Error) throws -> Never {
        do {
            _ = try finish(isComplete: false)
        } catch {
            Console.complain("the report of what was measured could not be written; trials.jsonl has it all")
        }
        let again = "to finish it: fetchbench run --resume \(ShellWord.pasted(folder.path))\(flagsToRepeat)"
        if error is CancellationError {
            Console.note("interrupted; finished trials are kept. \(again)")
            throw ExitStatus.interrupted
        }
        if let error = error as? FetchBenchError {
            Console.complain(error.explanation)
        } else {
            Console.complain("the run stopped: \(error)")
        }
        Console.note(again)
        throw ExitStatus.noAnswer
    }

    /// Writes everything that follows from the stored trials.
    private func finish(isComplete: Bool) throws -> RunRecord {
        let run = RunFinisher.finished(
            record, trials: try RunStore.storedTrials(in: folder),
            finishedAt: isComplete ? Surroundings.now().text : nil)
        try RunStore.write(run, to: folder)
        try RunStore.writeTables(of: run, to: folder)
        return run
    }
}
