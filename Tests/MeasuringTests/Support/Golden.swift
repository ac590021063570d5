// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runs
import Testing

/// The texts that renderers are compared with; `make golden` writes them.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Golden")

    /// Compares a text with the stored one, and names the first line that differs.
    static func compare(_ text: String, with name: String, _ location: SourceLocation = #_sourceLocation) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["FETCHBENCH_WRITE_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return
        }
        let stored = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let pairs = zip(lines(of: text), lines(of: stored)).enumerated()
        let difference = pairs.first { $0.element.0 != $0.element.1 }
        #expect(
            text == stored,
            "\(name), line \(difference.map { "\($0.offset + 1): \($0.element.0)" } ?? "count"): `make golden` rewrites it",
            sourceLocation: location)
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}

/// The two files that a run is read from, as text that a test can change.
struct StoredText {
    /// `run.json`.
    var head: String
    /// `trials.jsonl`.
    var log: String

    /// The files as they are written.
    init(_ run: RunRecord) throws {
        head = try RunCoding.readableText(of: run)
        log = try run.trials.map { try RunCoding.compactText(of: $0) }.joined()
    }

    /// Files as they are.
    init(head: String, log: String) {
        self.head = head
        self.log = log
    }

    /// Returns the run that these documents hold.
    func loaded() throws -> RunRecord {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            try folder.write(head, to: .run)
            try folder.write(log, to: .log)
            return try RunStore.load(folder)
        }
    }

    /// Why they are no run.
    func reason() throws -> String {
        let error = try #require(throws: FetchBenchError.self) { try loaded() }
        guard case .malformedRun(_, let reason) = error else {
            Issue.record("\(error) is another error")
            return ""
        }
        return reason
    }
}
