// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Testing

@Suite struct SystemCallTests {
    /// A file without a name.
    private func withFile(_ body: (CInt) throws -> Void) throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        try body(fileno(file))
    }

    @Test func aCallThatIsInterruptedIsMadeAgain() {
        var calls = 0
        let answer = SystemCall.retried {
            calls += 1
            errno = calls < 3 ? EINTR : EIO
            return -1
        }
        #expect(answer == -1)
        #expect(calls == 3)
        #expect(errno == EIO)
    }

    @Test func whatIsWrittenIsReadWhole() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try withFile { file in
            #expect(SystemCall.writeAll(bytes, to: file))
            lseek(file, 0, SEEK_SET)
            #expect(SystemCall.readAll(from: file) == bytes)
        }
    }

    @Test func aBufferIsFilledAsFarAsTheFileGoes() throws {
        try withFile { file in
            #expect(SystemCall.writeAll("0123456789".utf8, to: file))
            var buffer = [UInt8](repeating: 0, count: 4)
            #expect(buffer.withUnsafeMutableBytes { SystemCall.fill($0, from: file, at: 3) } == 4)
            #expect(buffer == Array("3456".utf8))
            #expect(buffer.withUnsafeMutableBytes { SystemCall.fill($0, from: file, at: 8) } == 2)
        }
    }

    @Test func whatCannotBeDoneIsToldByErrno() {
        errno = 0
        #expect(!SystemCall.writeAll([1], to: -1))
        #expect(errno == EBADF)
        #expect(SystemCall.readAll(from: -1) == nil)
        #expect(SystemCall.writeAll([], to: -1), "nothing is written")
    }
}
