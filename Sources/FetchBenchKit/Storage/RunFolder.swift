// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc

/// The folder of one run, and the names of the files in it.
public struct RunFolder: Hashable, Sendable {
    /// The files of a run.
    public enum File: String, Sendable, CaseIterable {
        /// The source of truth.
        case run = "run.json"
        /// Each trial, appended the moment it ends.
        case log = "trials.jsonl"
        /// One row a trial.
        case trials = "trials.csv"
        /// The series of the trials.
        case samples = "samples.csv"
        /// One row for each metric of each case.
        case summary = "summary.csv"
        /// The report.
        case report = "report.md"
    }

    /// The path of the folder.
    public let path: String

    /// The name of the folder, which names the run.
    public var name: String { String(path.split(separator: "/").last ?? "") }

    /// Names a folder that exists.
    public init(existing path: String) {
        self.path = path
    }

    /// Makes a new folder, and the one above it where that is missing.
    ///
    /// A folder of that name is never reused: the next free one gets a number.
    public static func create(named name: String, in parent: String) throws(FetchBenchError) -> RunFolder {
        do {
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        } catch {
            throw FetchBenchError.cannotWrite(name: parent, errno: errnoOf(error))
        }
        for attempt in 1...99 {
            let path = parent + "/" + (attempt == 1 ? name : "\(name)-\(attempt)")
            if mkdir(path, 0o755) == 0 { return RunFolder(existing: path) }
            guard errno == EEXIST else { throw FetchBenchError.cannotWrite(name: parent, errno: errno) }
        }
        throw FetchBenchError.runExists(name: name)
    }

    /// The path of a file.
    public func path(of file: File) -> String {
        path + "/" + file.rawValue
    }

    /// Writes a file under a temporary name and renames it, so that nobody reads half of it.
    public func write(_ text: String, to file: File) throws(FetchBenchError) {
        let temporary = path(of: file) + ".tmp"
        unlink(temporary)
        do {
            let out = try AppendingFile(path: temporary, name: file.rawValue)
            try out.append(text)
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path(of: file)) == 0 else {
            throw FetchBenchError.cannotWrite(name: file.rawValue, errno: errno)
        }
    }

    /// Reads a file whole.
    public func data(of file: File) throws(FetchBenchError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path(of: file)))
        } catch {
            throw FetchBenchError.cannotRead(name: "\(name)/\(file.rawValue)", errno: errnoOf(error))
        }
    }
}

/// The errno beneath an error of Foundation, or EIO where it hides it.
private func errnoOf(_ error: any Error) -> Int32 {
    let top = error as NSError
    let candidates = [top] + (top.userInfo[NSUnderlyingErrorKey] as? NSError).map { [$0] }.orEmpty
    return candidates.first { $0.domain == NSPOSIXErrorDomain }.map { Int32($0.code) } ?? EIO
}

extension Optional where Wrapped == [NSError] {
    fileprivate var orEmpty: [NSError] { self ?? [] }
}
