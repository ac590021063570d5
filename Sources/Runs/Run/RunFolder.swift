// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc

package struct RunFolder: Hashable, Sendable {
    package enum File: String, Sendable, CaseIterable {
        /// The head: plan and environment, without trials.
        case run = "run.json"
        /// The plan of all shards, of which the run is one or several.
        case plan = "plan.json"
        /// The trials, each appended the moment it ends: the source of truth.
        case log = "trials.jsonl"
        case trials = "trials.csv"
        case samples = "samples.csv"
        /// One row for each reading of the allocator's series of a case.
        case allocator = "allocator.csv"
        case summary = "summary.csv"
        case slopes = "slopes.csv"
        case report = "report.md"
        case explanation = "explain.json"
        case page = "report.html"
        case judgement = "judgement.json"
        case judgementReport = "judgement.md"
        case calibration = "calibration.json"
        case survival = "survive.json"
        case junit = "junit.xml"
        case commands = "commands.json"
    }

    package static let usualParent = "results"

    package let path: String

    package var name: String { PathText.name(of: path) }

    package var parent: String {
        [".", ".."].contains(name) ? path + "/.." : PathText.folder(of: path)
    }

    package init(existing path: String) { self.path = path }

    /// Creates a new folder, and its parent if missing.
    ///
    /// Existing folders are never reused: a number is appended to the name instead.
    package static func create(named name: String, in parent: String) throws -> RunFolder {
        try makeFolder(parent)
        for attempt in 1...99 {
            let path = parent + "/" + (attempt == 1 ? name : "\(name)-\(attempt)")
            if mkdir(path, 0o755) == 0 { return RunFolder(existing: path) }
            guard errno == EEXIST else { throw FetchBenchError.cannotWrite(name: parent, errno: errno) }
        }
        throw FetchBenchError(
            "a run named \(name) already exists and is not overwritten; choose another --output")
    }

    package static func create(new name: String, in parent: String) throws -> RunFolder {
        try makeFolder(parent)
        let path = parent + "/" + name
        guard mkdir(path, 0o755) == 0 else { throw FetchBenchError.cannotWrite(name: path, errno: errno) }
        return RunFolder(existing: path)
    }

    package func has(_ file: File) -> Bool { access(source(of: file), F_OK) == 0 }

    package func removeIfEmpty() { rmdir(path) }

    /// Removes the folder and the files of a run in it, after a failure of the command that created it.
    package func discard() {
        for file in File.allCases { unlink(path(of: file)) }
        rmdir(path)
    }

    package func path(of file: File) -> String { path + "/" + file.rawValue }

    /// The path from which a long file is read: a published run has it compressed, as `trials.jsonl.gz`.
    func source(of file: File) -> String {
        let plain = path(of: file)
        return access(plain, F_OK) != 0 && access(plain + ".gz", F_OK) == 0 ? plain + ".gz" : plain
    }

    /// Writes a file under a temporary name and renames it, so that readers never see a partial file.
    package func write(_ text: String, to file: File) throws {
        try write(TextPieces(text), to: file)
    }

    /// Writes a file piece by piece under a temporary name and renames it.
    package func write(_ pieces: TextPieces, to file: File) throws {
        let draft = try draft(of: file)
        for index in 0..<pieces.count {
            let text = try pieces.piece(index)
            try draft.append(text)
        }
        try draft.finish()
    }

    /// Creates a draft, which has a temporary name until it is finished.
    package func draft(of file: File) throws -> FileDraft {
        try FileDraft(of: path(of: file), name: file.rawValue)
    }

    package func data(of file: File) throws -> Data {
        do {
            return try WholeFile.data(at: path(of: file), name: "\(name)/\(file.rawValue)")
        } catch let error as FetchBenchError {
            throw error.adding(remedy: "Give the folder of a run, such as results/20260101T120000Z-local")
        }
    }

    /// Reads the lines of a file, without empty ones.
    /// - Parameter onLine: Gets a line without its end, valid during the call, and false if a last line has no end.
    package func eachLine(
        of file: File, _ onLine: (UnsafeBufferPointer<UInt8>, Bool) throws -> Void
    ) throws {
        let source = source(of: file)
        let window = try FileWindow(path: source, name: "\(name)/\(PathText.name(of: source))")
        while true {
            if let length = window.lineLength {
                if length > 0 { try onLine(UnsafeBufferPointer(rebasing: window.bytes[..<length]), true) }
                window.advance(by: length + 1)
            } else if try !window.more() {
                if !window.bytes.isEmpty { try onLine(window.bytes, false) }
                return
            }
        }
    }
}

/// An exclusive lock on a run's folder: two harnesses would mix their lines.
package final class RunLock: Sendable {
    private let descriptor: Int32

    package init(_ folder: RunFolder) throws {
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FetchBenchError.cannotRead(name: folder.path, errno: errno) }
        // A second close here, before that of deinit, could hit what another thread has opened meanwhile.
        guard FileLock.take(descriptor) else {
            throw FetchBenchError(
                "run \(folder.name) is in use by another process; wait until it has finished", kind: .temporary)
        }
    }

    deinit { close(descriptor) }
}

package enum RunStore {
    package static func create(_ run: RunRecord, in folder: RunFolder) throws {
        try TrialLog.create(in: folder, trials: run.trials)
        try write(run, to: folder)
    }

    package static func write(_ run: RunRecord, to folder: RunFolder) throws {
        // It does not change, and a head is never without it.
        if let plan = run.planOfShards, !folder.has(.plan) {
            try folder.write(PlanFile(of: run, plan).text(), to: .plan)
        }
        try folder.write(RunCoding.readableText(of: run), to: .run)
    }

    package static func load(_ folder: RunFolder) throws -> RunRecord {
        var run = try head(of: folder)
        run.trials = try TrialLog.trials(in: folder, of: run)
        return run
    }

    /// Reads a run without its trials.
    /// - Parameter known: A run whose plan of all shards need not be read again if this is a shard of it.
    static func head(of folder: RunFolder, besides known: RunRecord? = nil) throws -> RunRecord {
        func refusal(_ reason: String) -> FetchBenchError {
            .malformedRun(name: folder.name, reason: "run.json: \(reason)")
        }
        var run = try StoredDocument.decode(
            RunRecord.self, from: folder.data(of: .run), schema: RunRecord.currentSchema,
            remedy: "Use the version that wrote it", refusal: refusal)
        if let hash = run.sharding?.planHash {
            run.planOfShards =
                known?.sharding?.planHash == hash ? known?.planOfShards : try planOfShards(in: folder, hash: hash)
        }
        if let mistake = run.mistake { throw refusal(mistake.description) }
        return run
    }

    private static func planOfShards(in folder: RunFolder, hash: String) throws -> Plan {
        let file = try PlanFile.load(folder.path(of: .plan)) {
            .malformedRun(name: folder.name, reason: "\(RunFolder.File.plan.rawValue): \($0)")
        }
        guard file.hash == hash else {
            throw FetchBenchError.malformedRun(
                name: folder.name, reason: "\(RunFolder.File.plan.rawValue) is of another plan")
        }
        return file.plan
    }

    package static func load(
        _ folder: RunFolder, kinds: Set<RunRecord.Kind>
    ) throws -> RunRecord {
        let run = try load(folder)
        guard kinds.contains(run.kind) else {
            throw FetchBenchError.otherKindOfRun(name: folder.name, kind: run.kind)
        }
        return run
    }
}
