// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import TrialKit

/// The reading and writing of whole runs.
package enum RunStore {
    /// Creates the files of a run, with the trials that it already has.
    package static func create(_ run: RunRecord, in folder: RunFolder) throws(FetchBenchError) {
        try TrialLog.create(in: folder, trials: run.trials)
        try write(run, to: folder)
    }

    package static func write(_ run: RunRecord, to folder: RunFolder) throws(FetchBenchError) {
        try folder.write(RunCoding.readableText(of: run), to: .run)
    }

    /// Reads a run, finished or not.
    package static func load(_ folder: RunFolder) throws(FetchBenchError) -> RunRecord {
        let head = try folder.data(of: .run)
        let version = try decode(Version.self, from: head, of: folder) { _ in "run.json has no schema" }
        guard version.schema == RunRecord.currentSchema else {
            throw FetchBenchError.unsupportedSchema(found: version.schema, supported: RunRecord.currentSchema)
        }
        var run = try decode(RunRecord.self, from: head, of: folder) { $0.description }
        do {
            try run.check()
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: error.description)
        }
        run.trials = try TrialLog.trials(in: folder, of: run)
        return run
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, from head: Data, of folder: RunFolder, reason: (DocumentMistake) -> String
    ) throws(FetchBenchError) -> Value {
        do {
            return try JSONDecoder().value(type, in: head)
        } catch {
            let mistake = DocumentMistake(error)
            throw FetchBenchError.malformedRun(
                name: folder.name,
                reason: error is JSONFault ? "run.json is damaged: \(mistake.words)" : reason(mistake))
        }
    }

    /// Reads a run, or throws ``FetchBenchError/otherKindOfRun(name:kind:)``.
    package static func load(
        _ folder: RunFolder, kinds: Set<RunRecord.Kind>
    ) throws(FetchBenchError) -> RunRecord {
        let run = try load(folder)
        guard kinds.contains(run.kind) else {
            throw FetchBenchError.otherKindOfRun(name: folder.name, kind: run.kind)
        }
        return run
    }

    private struct Version: Decodable {
        let schema: Int
    }
}
