// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
package import OperatingSystem
import Texts
import TrialKit

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
        /// One row for each sweep of sizes.
        case slopes = "slopes.csv"
        case report = "report.md"
        case explanation = "explain.json"
        case page = "report.html"
        /// The findings of a check or comparison.
        case judgement = "judgement.json"
        case judgementReport = "judgement.md"
        /// The result of comparing a build with itself.
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
    package static func create(named name: String, in parent: String) throws(FetchBenchError) -> RunFolder {
        try FetchBenchError.onFiles { () throws(FileFailure) in try makeFolder(parent) }
        for attempt in 1...99 {
            let path = parent + "/" + (attempt == 1 ? name : "\(name)-\(attempt)")
            if mkdir(path, 0o755) == 0 { return RunFolder(existing: path) }
            guard errno == EEXIST else { throw FetchBenchError.file(.cannotWrite(name: parent, errno: errno)) }
        }
        throw FetchBenchError.runExists(name: name)
    }

    package static func create(new name: String, in parent: String) throws(FetchBenchError) -> RunFolder {
        try FetchBenchError.onFiles { () throws(FileFailure) in try makeFolder(parent) }
        let path = parent + "/" + name
        guard mkdir(path, 0o755) == 0 else { throw FetchBenchError.file(.cannotWrite(name: path, errno: errno)) }
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
    package func write(_ text: String, to file: File) throws(FetchBenchError) {
        try write(TextPieces(text), to: file)
    }

    /// Writes a file piece by piece under a temporary name and renames it.
    package func write(_ pieces: TextPieces, to file: File) throws(FetchBenchError) {
        let draft = try draft(of: file)
        for index in 0..<pieces.count {
            let text = try pieces.piece(index)
            try FetchBenchError.onFiles { () throws(FileFailure) in try draft.append(text) }
        }
        try FetchBenchError.onFiles { () throws(FileFailure) in try draft.finish() }
    }

    /// Creates a draft, which has a temporary name until it is finished.
    package func draft(of file: File) throws(FetchBenchError) -> FileDraft {
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try FileDraft(of: path(of: file), name: file.rawValue)
        }
    }

    package func data(of file: File) throws(FetchBenchError) -> Data {
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try WholeFile.data(at: path(of: file), name: "\(name)/\(file.rawValue)")
        }
    }

    /// Reads the lines of a file, without empty ones.
    /// - Parameter onLine: Gets a line without its end, valid during the call, and false if a last line has no end.
    package func eachLine(
        of file: File, _ onLine: (UnsafeBufferPointer<UInt8>, Bool) throws(FetchBenchError) -> Void
    ) throws(FetchBenchError) {
        let source = source(of: file)
        let window = try FetchBenchError.onFiles { () throws(FileFailure) in
            try FileWindow(path: source, name: "\(name)/\(PathText.name(of: source))")
        }
        while true {
            if let length = window.lineLength {
                if length > 0 { try onLine(UnsafeBufferPointer(rebasing: window.bytes[..<length]), true) }
                window.advance(by: length + 1)
            } else if try !FetchBenchError.onFiles({ () throws(FileFailure) in try window.more() }) {
                if !window.bytes.isEmpty { try onLine(window.bytes, false) }
                return
            }
        }
    }
}

/// An exclusive lock on a run's folder: two harnesses would mix their lines.
package final class RunLock: Sendable {
    private let descriptor: Int32

    /// Locks the folder, or throws ``FetchBenchError/runIsGoingOn(name:)``.
    package init(_ folder: RunFolder) throws(FetchBenchError) {
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FetchBenchError.file(.cannotRead(name: folder.path, errno: errno)) }
        // A second close here, before that of deinit, could hit what another thread has opened meanwhile.
        guard FileLock.take(descriptor) else { throw FetchBenchError.runIsGoingOn(name: folder.name) }
    }

    deinit { close(descriptor) }
}

package enum RunStore {
    package static func create(_ run: RunRecord, in folder: RunFolder) throws(FetchBenchError) {
        try TrialLog.create(in: folder, trials: run.trials)
        try write(run, to: folder)
    }

    package static func write(_ run: RunRecord, to folder: RunFolder) throws(FetchBenchError) {
        // It does not change, and a head is never without it.
        if let plan = run.planOfShards, !folder.has(.plan) {
            try folder.write(PlanFile(of: run, plan).text(), to: .plan)
        }
        try folder.write(RunCoding.readableText(of: run), to: .run)
    }

    package static func load(_ folder: RunFolder) throws(FetchBenchError) -> RunRecord {
        var run = try head(of: folder)
        run.trials = try TrialLog.trials(in: folder, of: run)
        return run
    }

    /// Reads a run without its trials.
    /// - Parameter known: A run whose plan of all shards need not be read again if this is a shard of it.
    static func head(of folder: RunFolder, besides known: RunRecord? = nil) throws(FetchBenchError) -> RunRecord {
        let head = try folder.data(of: .run)
        let version = try decode(Version.self, from: head, of: folder) { _ in "run.json has no schema" }
        guard version.schema == RunRecord.currentSchema else {
            throw FetchBenchError.unsupportedSchema(found: version.schema, supported: RunRecord.currentSchema)
        }
        var run = try decode(RunRecord.self, from: head, of: folder) { $0.description }
        if let hash = run.sharding?.planHash {
            run.planOfShards =
                known?.sharding?.planHash == hash ? known?.planOfShards : try planOfShards(in: folder, hash: hash)
        }
        do {
            try run.check()
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: error.description)
        }
        return run
    }

    private static func planOfShards(in folder: RunFolder, hash: String) throws(FetchBenchError) -> Plan {
        let file: PlanFile
        do {
            file = try PlanFile.load(folder.path(of: .plan))
        } catch .malformedPlan(_, let reason) {
            throw .malformedRun(name: folder.name, reason: "\(RunFolder.File.plan.rawValue): \(reason)")
        }
        guard file.hash == hash else {
            throw .malformedRun(name: folder.name, reason: "\(RunFolder.File.plan.rawValue) is of another plan")
        }
        return file.plan
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
