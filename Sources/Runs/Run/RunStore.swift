// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
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
        try folder.write(pieces(of: run), to: .run)
    }

    /// A run as `run.json` holds it, trial by trial.
    package static func pieces(of run: RunRecord) throws(FetchBenchError) -> TextPieces {
        try RunText(run).pieces
    }

    /// The same as one text.
    package static func text(of run: RunRecord) throws(FetchBenchError) -> String {
        try pieces(of: run).joined()
    }

    /// Hands on `run.json` as it is stored, piece by piece: of a finished run that is all there is.
    package static func passOn(_ folder: RunFolder, onto out: (String) throws -> Void) throws {
        let window = try folder.window(on: .run)
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = try !window.more()
            let bytes = window.bytes
            // A line break ends a piece, so that no character is cut in two.
            let end = isAtEnd ? bytes.count : bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            guard end > 0 else { continue }
            try out(JSONText.harmless(String(decoding: bytes[..<end], as: UTF8.self)))
            window.advance(by: end)
        }
    }

    /// Reads a run, finished or not: one that was interrupted has the trials of its log.
    package static func load(_ folder: RunFolder) throws(FetchBenchError) -> RunRecord {
        let file = try RunFile(folder)
        let schema: Int
        do {
            schema = try JSONDecoder().decode(SchemaOnly.self, from: file.head).schema
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: "run.json names no schema")
        }
        guard RunRecord.understoodSchemas.contains(schema) else {
            throw FetchBenchError.unsupportedSchema(found: schema, supported: RunRecord.currentSchema)
        }
        var run: RunRecord
        do {
            run = try JSONDecoder().decode(RunRecord.self, from: file.head)
            try run.check()
            if let fault = file.fault { throw fault }
            try check(file.trials, of: run)
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: DocumentMistake(error).description)
        }
        run.trials = run.finishedAt == nil ? try storedTrials(in: folder, on: run.environment) : file.trials
        return run
    }

    private static func check(_ trials: [Trial], of run: RunRecord) throws(DocumentMistake) {
        let limits = MachineLimits(of: run.environment)
        for (index, trial) in trials.enumerated() {
            if let mistake = trial.mistakes(limits: limits).first { throw mistake.inside("trials[\(index)]") }
        }
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
    /// - Parameter environment: on what they were measured.
    package static func storedTrials(
        in folder: RunFolder, on environment: MachineEnvironment? = nil
    ) throws(FetchBenchError) -> [Trial] {
        try TrialLog.trials(in: folder, limits: environment.map { MachineLimits(of: $0) } ?? .any)
    }

    /// Mends the growing files of an interrupted run, so that it can be gone on with.
    package static func prepareToResume(_ folder: RunFolder, keeping trials: [Trial]) throws(FetchBenchError) {
        try TrialLog.mend(folder, keeping: trials)
    }

    private struct SchemaOnly: Decodable {
        let schema: Int
    }
}
