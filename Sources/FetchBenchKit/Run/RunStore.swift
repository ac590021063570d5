// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

/// Reads and writes whole runs.
package enum RunStore {
    /// Starts the files of a new run.
    package static func create(_ run: RunRecord, in folder: RunFolder) throws(FetchBenchError) {
        try TrialLog.create(in: folder)
        try write(run, to: folder)
    }

    /// Writes `run.json`.
    package static func write(_ run: RunRecord, to folder: RunFolder) throws(FetchBenchError) {
        try folder.write(try text(of: run), to: .run)
    }

    /// A run as `run.json` holds it.
    package static func text(of run: RunRecord) throws(FetchBenchError) -> String {
        try RunCoding.readableText(of: run)
    }

    /// Reads a run, finished or not: one that was interrupted has the trials of its log.
    package static func load(_ folder: RunFolder) throws(FetchBenchError) -> RunRecord {
        let data = try folder.data(of: .run)
        let schema: Int
        do {
            schema = try JSONDecoder().decode(SchemaOnly.self, from: data).schema
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: "run.json names no schema")
        }
        guard RunRecord.understoodSchemas.contains(schema) else {
            throw FetchBenchError.unsupportedSchema(found: schema, supported: RunRecord.currentSchema)
        }
        var run: RunRecord
        do {
            run = try JSONDecoder().decode(RunRecord.self, from: data)
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: RunCoding.explanation(of: error))
        }
        if run.finishedAt == nil { run.trials = try TrialLog.trials(in: folder) }
        return run
    }

    /// Reads a run of some kinds.
    /// - Throws: ``FetchBenchError/otherKindOfRun(name:kind:)`` for one of another.
    package static func load(
        _ folder: RunFolder, kinds: Set<RunRecord.Kind>
    ) throws(FetchBenchError) -> RunRecord {
        let run = try load(folder)
        guard kinds.contains(run.kind) else {
            throw FetchBenchError.otherKindOfRun(name: folder.name, kind: run.kind)
        }
        return run
    }

    /// The trials that a folder's log holds.
    package static func storedTrials(in folder: RunFolder) throws(FetchBenchError) -> [Trial] {
        try TrialLog.trials(in: folder)
    }

    /// Mends the growing files of an interrupted run, so that it can be gone on with.
    package static func prepareToResume(_ folder: RunFolder, keeping trials: [Trial]) throws(FetchBenchError) {
        try TrialLog.mend(folder, keeping: trials)
    }

    private struct SchemaOnly: Decodable {
        let schema: Int
    }
}
