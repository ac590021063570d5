// SPDX-License-Identifier: Apache-2.0

import Runs
import Testing

/// The two files that a run is read from, as text that a test can change.
struct StoredText {
    var head: String
    var log: String

    init(_ run: RunRecord) throws {
        head = try RunCoding.readableText(of: run)
        log = try run.trials.map { try RunCoding.compactText(of: $0) }.joined()
    }

    init(head: String, log: String) {
        self.head = head
        self.log = log
    }

    func loaded() throws -> RunRecord {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            try folder.write(head, to: .run)
            try folder.write(log, to: .log)
            return try RunStore.load(folder)
        }
    }

    func reason() throws -> String { try malformedRun { _ = try loaded() }.reason }
}

func malformedRun(_ read: () throws -> Void) throws -> (name: String, reason: String) {
    let error = try #require(throws: FetchBenchError.self) { try read() }
    let parts = error.message.split(separator: " is not a valid run: ", maxSplits: 1).map(String.init)
    try #require(parts.count == 2, "\(error) is another error")
    return (parts[0], parts[1])
}
