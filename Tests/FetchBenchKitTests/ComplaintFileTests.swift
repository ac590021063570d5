// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import Glibc
import Testing

/// What commands say without end does not stay on the disk.
@Suite struct ComplaintFileTests {
    private func blocks(of path: String) -> Int {
        var information = stat()
        return stat(path, &information) == 0 ? Int(information.st_blocks) * 512 : -1
    }

    @Test func theEndIsKeptAndTheRestGivenBack() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/stderr"
            let file = ComplaintFile(path: path)
            file.trim()
            #expect(file.lastWords.isEmpty && blocks(of: path) == -1, "there is none, and none is made")
            let text = "first\n" + String(repeating: "x", count: 4 << 20) + "\nwhy it ended\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let writer = try #require(FileHandle(forWritingAtPath: path))
            try writer.seekToEnd()
            file.trim()
            #expect(file.lastWords == "why it ended")
            #expect(blocks(of: path) < 256 << 10)
            try writer.write(contentsOf: Data("and then\n".utf8))
            #expect(file.lastWords == "and then")
            file.trim()
            #expect(file.lastWords == "and then")
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(whole.count == text.utf8.count + 9 && whole.first == 0, "where the rest was is a hole")
        }
    }
}
