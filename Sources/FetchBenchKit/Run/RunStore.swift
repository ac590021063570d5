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

    /// What a check or a comparison found.
    package static func judgement(in folder: RunFolder) throws(FetchBenchError) -> Judgement {
        let data = try folder.data(of: .judgement)
        do {
            return try JSONDecoder().decode(Judgement.self, from: data)
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: RunCoding.explanation(of: error))
        }
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

/// How runs are written as JSON: in a stable order, so that two of them can be compared as text.
enum RunCoding {
    /// A value as people read it, on many lines.
    static func readableText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, with: readable)
    }

    /// A value on one line, with its end.
    static func compactText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, with: compact)
    }

    private static func text(
        of value: some Encodable, with encoder: JSONEncoder
    ) throws(FetchBenchError) -> String {
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        } catch {
            throw FetchBenchError.malformedRun(name: "\(type(of: value))", reason: "\(error)")
        }
    }

    private static var readable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private static var compact: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// What a decoder complains about, with the place.
    static func explanation(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        let (text, path): (String, [any CodingKey]) =
            switch error {
            case .keyNotFound(let key, let context): ("\(key.stringValue) is missing", context.codingPath)
            case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
                (context.debugDescription, context.codingPath)
            @unknown default: ("\(error)", [])
            }
        let place = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return place.isEmpty ? text : "\(text) (at \(place))"
    }
}
