// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

@Suite struct FolderStreamTests {
    /// What the kernel's record of a short name holds; the one declared in C has 256 bytes for the name.
    private static let head = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0

    /// The last record of a full buffer may end where memory ends.
    @Test(arguments: ["1", "12345", String(repeating: "n", count: 255)])
    func nothingBehindARecordIsRead(name: String) throws {
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

    @Test func whatIsNoFolderIsNone() {
        for path in ["/dev/null", "/nonexistent"] {
            if FolderStream(path) != nil { Issue.record("\(path) was opened") }
        }
    }
}
