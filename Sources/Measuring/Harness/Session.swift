// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs

/// One measurement from its plan to its record, new or taken up again.
///
/// It is a folder that is locked, its record, its trials and their series. `run`, `check`, `compare` and `calibrate` are
/// sessions that differ in which trials they do.
package struct Session: Sendable {
    /// Where it is stored.
    package let folder: RunFolder
    /// What is measured and on what; without trials while it goes on.
    package let record: RunRecord
    /// The trials that the folder holds already.
    package let done: [Trial]
    private let lock: RunLock

    /// How long a trial takes by those that are done, or `nil` where none is.
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

    /// Begins a session in a new folder: everything that can fail early fails here, before the first trial.
    /// - Parameters:
    ///   - record: what is to be measured; its identifier is the name of the folder that is asked for.
    ///   - parent: the folder in which the folder is made.
    package static func begun(
        _ record: RunRecord, in parent: String, temporaryDirectory: String
    ) throws(FetchBenchError) -> Session {
        let folder = try RunFolder.create(named: record.identifier, in: parent)
        let lock = try RunLock(folder)
        do throws(FetchBenchError) {
            try Preflight.checkRoom(for: record, results: folder.path, temporaryDirectory: temporaryDirectory)
        } catch {
            folder.removeIfEmpty()
            throw error
        }
        var record = record
        record.identifier = folder.name
        try RunStore.create(record, in: folder)
        return Session(folder, record, lock: lock)
    }

    /// Takes up an interrupted session.
    /// - Parameters:
    ///   - kinds: what it may be.
    ///   - evenIfFinished: whether one is taken up of which nothing is left to do: its trials are found, not done.
    /// - Throws: ``FetchBenchError`` where it is finished, goes on, is another kind of session or was measured elsewhere.
    package static func resumed(
        _ folder: RunFolder, kinds: Set<RunRecord.Kind>, evenIfFinished: Bool = false, in harness: HarnessContext
    ) throws(FetchBenchError) -> Session {
        // Before anything is read: whoever has the folder may still write to it.
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

    /// Whether nothing is left to do: all is measured, and what follows from it is there.
    private static func isConcluded(_ record: RunRecord, in folder: RunFolder) -> Bool {
        guard record.finishedAt != nil else { return false }
        return switch record.kind {
        case .run: true
        case .check, .comparison: folder.has(.judgement)
        case .calibration: folder.has(.calibration)
        }
    }

    /// Trials of another machine or build under the old environment would be a lie.
    private static func checkPlace(of record: RunRecord, here: MachineEnvironment) throws(FetchBenchError) {
        let tools = record.tool == BuildInformation.tool ? [] : ["written by \(record.tool)"]
        let differences = EnvironmentMatch(record.environment, here).hard + tools
        guard differences.isEmpty else {
            throw FetchBenchError.runIsOfAnotherPlace(name: record.identifier, differences: differences)
        }
    }

    /// Completes the record from what is stored, and writes everything that follows from it.
    /// - Parameters:
    ///   - finishedAt: when it ended, or `nil` where it was interrupted; that of one that was finished before stays.
    ///   - renderers: what draws the files of the folder; one without a file, or without anything to draw, writes none.
    package func finished(
        at finishedAt: String?, renderers: [any TextRenderer<Report>]
    ) throws(FetchBenchError) -> RunRecord {
        let run = RunFinisher.finished(
            record, trials: try TrialLog.trials(in: folder, of: record), finishedAt: record.finishedAt ?? finishedAt)
        try RunStore.write(run, to: folder)
        try folder.write(Report(run, in: folder), drawnBy: renderers)
        return run
    }
}

extension RunFolder {
    /// Writes the files that renderers draw of a run; one that finds nothing to draw writes none.
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
