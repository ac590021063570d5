// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Profiles
import TestSupport
import Testing

/// The folder that a recorded program may write to, too.
struct RecordingFolderTests {
    /// A sparse file takes no room, and reading it as a whole would take all of its size.
    @Test func aFileThatNoRecorderWritesIsNotRead() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let file = open(place + "/1-1.peak", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(file) }
        try #require(ftruncate(file, 300 << 20) == 0 && mkfifo(place + "/2-1.peak", 0o600) == 0)
        #expect(throws: RecordingError.unreadable("2-1.peak")) { try RecordingFolder(path: place).entries() }
    }
}
