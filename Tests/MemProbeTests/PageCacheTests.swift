// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

struct PageCacheTests {
    /// Makes a file of this many bytes and gives it to the test.
    private func withFile(of size: Int, _ body: (_ path: String, _ descriptor: CInt) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("memprobe-\(UUID().uuidString)").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 7, count: size)
        try #require(write(descriptor, bytes, size) == size)
        try body(path, descriptor)
    }

    /// Both ways to ask, which have to agree.
    private func check(_ path: String, _ isRight: (ByteCount) -> Bool) throws {
        #expect(isRight(try PageCache.residentBytes(ofFile: path)))
        #expect(isRight(try PageCache.residentBytesByMapping(ofFile: path)))
    }

    @Test(arguments: [8 << 20, (80 << 20) + 1, 1])
    func aFileJustWrittenIsAllThere(size: Int) throws {
        try withFile(of: size) { path, _ in
            let pages = (size + 4095) / 4096
            try check(path) { $0 == ByteCount(pages * 4096) }
        }
    }

    @Test func aFileGivenUpIsNotThere() throws {
        try withFile(of: 8 << 20) { path, descriptor in
            fsync(descriptor)
            posix_fadvise(descriptor, 0, 0, CInt(POSIX_FADV_DONTNEED))
            try check(path) { $0 < .kibibytes(512) }
        }
    }

    @Test func anEmptyFileHasNothing() throws {
        try withFile(of: 0) { path, _ in try check(path) { $0 == .zero } }
    }

    @Test func aFileThatDoesNotExistIsUnreadable() {
        let error = #expect(throws: MemProbeError.self) { try PageCache.residentBytes(ofFile: "/nonexistent") }
        #expect(error == MemProbeError(.unreadable, source: "/nonexistent", errno: ENOENT))
    }
}
