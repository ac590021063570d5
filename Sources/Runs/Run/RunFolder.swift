// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
package import OperatingSystem
import Texts

/// The folder of one run, and the names of the files in it.
package struct RunFolder: Hashable, Sendable {
    /// The files of a run.
    package enum File: String, Sendable, CaseIterable {
        /// What was asked and on what it was measured: the run without its trials.
        case run = "run.json"
        /// Each trial, appended the moment it ends: the source of truth.
        case log = "trials.jsonl"
        /// One row a trial.
        case trials = "trials.csv"
        /// The series of the trials.
        case samples = "samples.csv"
        /// One row for each metric of each case.
        case summary = "summary.csv"
        /// One row for each sweep of sizes.
        case slopes = "slopes.csv"
        /// The report.
        case report = "report.md"
        /// Who holds the peak of each case.
        case explanation = "explain.json"
        /// The report with pictures, for a browser.
        case page = "report.html"
        /// What a check or a comparison found.
        case judgement = "judgement.json"
        /// The same for people.
        case judgementReport = "judgement.md"
        /// What a machine shows when a build is compared with itself.
        case calibration = "calibration.json"
        /// What a check or a comparison found, as JUnit's XML.
        case junit = "junit.xml"
        /// What was measured of commands.
        case commands = "commands.json"
    }

    /// The folder in which folders of runs are made, where nobody names another.
    package static let usualParent = "results"

    /// The path of the folder.
    package let path: String

    /// The name of the folder, which names the run.
    package var name: String { PathText.name(of: path) }

    /// The path of the folder that it is in.
    package var parent: String {
        [".", ".."].contains(name) ? path + "/.." : PathText.folder(of: path)
    }

    /// Names a folder that exists.
    package init(existing path: String) {
        self.path = path
    }

    /// Makes a new folder, and the one above it where that is missing.
    ///
    /// A folder of that name is never reused: the next free one gets a number.
    package static func create(named name: String, in parent: String) throws(FetchBenchError) -> RunFolder {
        try FetchBenchError.onFiles { () throws(FileFailure) in try Folder.make(parent) }
        for attempt in 1...99 {
            let path = parent + "/" + (attempt == 1 ? name : "\(name)-\(attempt)")
            if mkdir(path, 0o755) == 0 { return RunFolder(existing: path) }
            guard errno == EEXIST else { throw FetchBenchError.file(.cannotWrite(name: parent, errno: errno)) }
        }
        throw FetchBenchError.runExists(name: name)
    }

    /// Whether a file is there.
    package func has(_ file: File) -> Bool {
        access(path(of: file), F_OK) == 0
    }

    /// Removes the folder, where nothing is in it.
    package func removeIfEmpty() {
        rmdir(path)
    }

    /// The path of a file.
    package func path(of file: File) -> String {
        path + "/" + file.rawValue
    }

    /// Writes a file under a temporary name and renames it, so that nobody reads half of it.
    package func write(_ text: String, to file: File) throws(FetchBenchError) {
        try write(TextPieces(text), to: file)
    }

    /// The same piece by piece.
    package func write(_ pieces: TextPieces, to file: File) throws(FetchBenchError) {
        let draft = try draft(of: file)
        for index in 0..<pieces.count {
            let text = try pieces.piece(index)
            try FetchBenchError.onFiles { () throws(FileFailure) in try draft.append(text) }
        }
        try FetchBenchError.onFiles { () throws(FileFailure) in try draft.finish() }
    }

    /// A file that is written under a temporary name until it is whole.
    package func draft(of file: File) throws(FetchBenchError) -> FileDraft {
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try FileDraft(of: path(of: file), name: file.rawValue)
        }
    }

    /// Reads a file whole.
    package func data(of file: File) throws(FetchBenchError) -> Data {
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try WholeFile.data(at: path(of: file), name: "\(name)/\(file.rawValue)")
        }
    }

    /// A file that is read piece by piece.
    private func window(on file: File) throws(FetchBenchError) -> FileWindow {
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try FileWindow(path: path(of: file), name: "\(name)/\(file.rawValue)")
        }
    }

    /// Reads a file line by line, each without its end; an empty one is left out.
    /// - Parameter onLine: gets each line, which lives until it returns, and whether it has an end: a last one may have none.
    package func eachLine(
        of file: File, _ onLine: (UnsafeBufferPointer<UInt8>, Bool) throws(FetchBenchError) -> Void
    ) throws(FetchBenchError) {
        let window = try window(on: file)
        while true {
            let bytes = window.bytes
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                if end > 0 { try onLine(UnsafeBufferPointer(rebasing: bytes[..<end]), true) }
                window.advance(by: end + 1)
            } else if try !FetchBenchError.onFiles({ () throws(FileFailure) in try window.more() }) {
                if !window.bytes.isEmpty { try onLine(window.bytes, false) }
                return
            }
        }
    }
}
