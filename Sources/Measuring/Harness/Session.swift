// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs

/// One measurement from its plan to its record, new or resumed.
///
/// It consists of a locked folder, its record, its trials and their series. `run`, `check`, `compare` and `calibrate`
/// are sessions that differ in the trials they run.
package struct Session: Sendable {
    package let folder: RunFolder
    /// The plan and environment, without trials during the session.
    package let record: RunRecord
    /// The trials that are already stored.
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
        let run = RunFinisher.finished(
            record, trials: try TrialLog.trials(in: folder, of: record), finishedAt: record.finishedAt ?? finishedAt)
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
