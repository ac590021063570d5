// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import OperatingSystem
import Testing

struct AppendingFileTests {
    @Test func linesAreAddedToWhatIsThere() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/log"
            try AppendingFile(path: path, name: "log").append("one\n")
            let again = try AppendingFile(path: path, name: "log")
            try again.append("two\n")
            try again.append("")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
        }
    }

    @Test func aFullDiskIsSaidWithItsReason() throws {
        let file = try AppendingFile(path: "/dev/full", name: "trials.jsonl")
        #expect(throws: FileFailure.cannotWrite(name: "trials.jsonl", errno: ENOSPC)) {
            try file.append("a line\n")
        }
    }

    @Test func aFileThatCannotBeMadeIsSaidWithItsReason() async throws {
        try await withTemporaryFolder { folder in
            #expect(throws: FileFailure.cannotWrite(name: "log", errno: ENOENT)) {
                try AppendingFile(path: folder + "/missing/log", name: "log")
            }
        }
    }
}
