// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

struct SentNotesTests {
    /// Whatever is written between two readings is in one of them, and half a line in the next.
    @Test func nothingIsLostAndNothingIsTakenTwice() throws {
        let path = NSTemporaryDirectory() + "notes-\(UUID().uuidString)"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let writer = try #require(FileHandle(forWritingAtPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let notes = try #require(SentNotes(path: path))
        #expect(!FileManager.default.fileExists(atPath: path), "its name is gone")
        #expect(notes.taken().isEmpty)
        var sent: [SentBytes] = []
        for round in 0..<50 {
            let text = (0..<round).map { "\(round * 1000 + $0) \($0 + 1)\n" }.joined()
            let cut = text.utf8.count / 3
            writer.write(Data(text.utf8.prefix(cut)))
            sent += notes.taken()
            writer.write(Data(text.utf8.dropFirst(cut)))
            if round.isMultiple(of: 2) { sent += notes.taken() }
        }
        sent += notes.taken()
        let wanted = (0..<50).flatMap { round in (0..<round).map { SentBytes(time: round * 1000 + $0, count: $0 + 1) } }
        #expect(sent == wanted)
    }

    @Test func aFileThatIsNotThereHasNoNotes() {
        #expect(SentNotes(path: "/nonexistent/notes") == nil)
    }
}
