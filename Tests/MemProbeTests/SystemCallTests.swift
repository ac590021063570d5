// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

@Suite struct SystemCallTests {
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

    @Test func writtenPipesAreReadWhole() throws {
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

    @Test func failuresCarryTheirErrno() {
        errno = 0
        #expect(!SystemCall.writeAll([1], to: -1))
        #expect(errno == EBADF)
        #expect(SystemCall.readAll(from: -1) == nil)
        #expect(SystemCall.writeAll([], to: -1), "nothing is written")
    }
}

struct SystemTextTests {
    @Test func everyPairOfBytesComesBack() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let bytes = [first, second]
                #expect(SystemText.bytes(of: SystemText.string(of: bytes)) == bytes)
            }
        }
    }

    /// Pieces of UTF-8, and what looks like it: overlong forms, surrogates, more than U+10FFFF, cut sequences.
    @Test func almostValidTextSurvives() {
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("é".utf8), Array("e\u{301}".utf8), Array("€".utf8), Array("😀".utf8), [0xC0, 0x80],
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xFF], [0x80],
            Array("\u{10F780}".utf8), Array("\u{10F7FF}".utf8), Array("\u{10F800}".utf8), Array("\u{FFFD}".utf8),
        ]
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let bytes = first + second + third
                    #expect(SystemText.bytes(of: SystemText.string(of: bytes)) == bytes, "\(bytes)")
                }
            }
        }
    }

    @Test func textStaysText() {
        for text in ["", "plain", "Zoë", "e\u{301}", "😀", "\u{FFFD}", "\u{F0000}"] {
            #expect(SystemText.string(of: Array(text.utf8)).unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(SystemText.isUTF8(text))
        }
        #expect(!SystemText.isUTF8(SystemText.string(of: [0xE9])))
    }
}

@Suite struct FolderStreamTests {
    /// The size of the kernel's record of a short name; the C declaration has 256 bytes for the name.
    private static let head = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0

    /// The last record of a full buffer may end where memory ends.
    @Test(arguments: ["1", "12345", String(repeating: "n", count: 255)])
    func noByteBehindARecordIsRead(name: String) throws {
        let page = Int(sysconf(CInt(_SC_PAGESIZE)))
        let pages = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        try #require(pages != MAP_FAILED)
        defer { munmap(pages, 2 * page) }
        try #require(mprotect(pages + page, page, PROT_NONE) == 0)
        // The kernel aligns records by 8 bytes.
        let length = (Self.head + name.utf8.count + 1 + 7) & ~7
        let record = (pages + page - length).assumingMemoryBound(to: dirent.self)
        _ = name.withCString { strcpy((pages + page - length + Self.head).assumingMemoryBound(to: CChar.self), $0) }
        #expect(FolderStream.name(of: record) == name)
    }

    @Test func everyEntryIsRead() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = (0..<3000).map { "a file with a name \($0)" }
        for name in names { try Data().write(to: folder.appending(path: name)) }
        guard var stream = FolderStream(folder.path) else { throw POSIXError(.ENOENT) }
        var found: Set<String> = []
        while let name = stream.next() { found.insert(name) }
        #expect(found == Set(names + [".", ".."]))
    }

    @Test func filesAreNotFolders() {
        for path in ["/dev/null", "/nonexistent"] {
            if FolderStream(path) != nil { Issue.record("\(path) was opened") }
        }
    }
}

struct ByteCountTests {
    @Test(arguments: [
        ("0", 0), ("65536", 65536), ("64KiB", 65536), ("64 MiB", 67_108_864), ("1.5GiB", 1_610_612_736),
        ("2tib", 2_199_023_255_552), ("7B", 7), ("0.5KiB", 512),
    ])
    func sizesAreReadAsPeopleWriteThem(text: String, bytes: Int) {
        #expect(ByteCount(parsing: text) == ByteCount(bytes))
    }

    @Test(arguments: [
        "", "MiB", "64MB", "64 kb", "-1", "1.5", "0.3KiB", "1..5KiB", "64 MiB more", "9223372036854775808",
        "8388608TiB",
        "1e3", "٣KiB", "0x10", "9e99GiB",
    ])
    func everythingElseIsRefused(text: String) { #expect(ByteCount(parsing: text) == nil) }

    @Test(arguments: [(0, "0B"), (1000, "1000B"), (1024, "1KiB"), (67_108_864, "64MiB"), (1_610_612_736, "1536MiB")])
    func exactTextCanBeReadAgain(bytes: Int, text: String) {
        #expect(ByteCount(bytes).exactText == text)
        #expect(ByteCount(parsing: text) == ByteCount(bytes))
    }

    @Test func unitsAreBinary() {
        #expect(ByteCount(procKilobytes: 3) == ByteCount(3072))
        #expect(ByteCount.mebibytes(1) == ByteCount.kibibytes(1024))
        #expect(ByteCount(1_572_864).mebibytes == 1.5)
    }

    @Test func countsAddSubtractAndCompare() {
        #expect(ByteCount(3) - ByteCount(5) == ByteCount(-2))
        #expect(ByteCount(3) + .zero == ByteCount(3))
        #expect(ByteCount(3) < ByteCount(5))
    }

    @Test func aCountIsAPlainNumberInJSON() throws {
        let text = String(decoding: try JSONEncoder().encode([ByteCount(4096)]), as: UTF8.self)
        #expect(text == "[4096]")
        #expect(try JSONDecoder().decode([ByteCount].self, from: Data(text.utf8)) == [ByteCount(4096)])
    }
}
