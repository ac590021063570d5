// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import OperatingSystem
@_exported import TestSupport
import Testing
import Texts

/// Files that would be read for ever, or until the memory is full.
struct StoredFileTests {
    @Test(.timeLimit(.minutes(5)))
    func onlyRegularFilesAreRead() throws {
        try withTemporaryFolder { folder in
            let (pipe, device, link) = (folder + "/pipe", "/dev/zero", folder + "/link")
            #expect(mkfifo(pipe, 0o600) == 0)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: device)
            for (path, number) in [(pipe, ESPIPE), (device, ENXIO), (link, ENXIO)] {
                #expect(throws: FetchBenchError.cannotRead(name: "it", errno: number)) {
                    try WholeFile.data(at: path, name: "it")
                }
                #expect(throws: FetchBenchError.cannotRead(name: "it", errno: number)) {
                    _ = try FileWindow(path: path, name: "it")
                }
            }
            #expect(throws: FetchBenchError.cannotRead(name: "it", errno: ENXIO)) {
                try WholeFile.data(at: device, name: "it", allowsPipe: true)
            }
            #expect(throws: FetchBenchError.cannotRead(name: "it", errno: EISDIR)) {
                try WholeFile.data(at: folder, name: "it")
            }
        }
    }

    /// A file with a hole of a gigabyte takes no room on the disk.
    @Test func tooLongInputIsNotHeld() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/hole"
            #expect(FileManager.default.createFile(atPath: path, contents: nil) && truncate(path, 1 << 30) == 0)
            #expect(throws: FetchBenchError.cannotRead(name: "it", errno: EFBIG)) {
                try WholeFile.data(at: path, name: "it")
            }
            let window = try FileWindow(path: path, name: "it")
            #expect(throws: FetchBenchError.cannotRead(name: "it", errno: EFBIG)) { while try window.more() {} }
            #expect(throws: FetchBenchError.cannotRead(name: "it", errno: EFBIG)) {
                try WholeFile.data(at: "/proc/self/exe", name: "it", upTo: 1000)
            }
        }
    }

    /// By the tool of that name, in windows that are smaller than what it holds.
    @Test func aCompressedFileIsReadAsItsContent() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/it"
            let content = (0..<40_000).map { "line \($0 * 7919)\n" }.joined()
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            let gzip = try TestProcess.run("/usr/bin/env", ["gzip", path])
            #expect(gzip.status == 0, "\(gzip.complaint)")
            func read() throws -> String {
                let window = try FileWindow(path: path + ".gz", name: "it", capacity: 1000)
                var found: [UInt8] = []
                while try window.more() {
                    found += window.bytes
                    window.advance(by: window.bytes.count)
                }
                return String(decoding: found, as: UTF8.self)
            }
            #expect(try read() == content)
            let compressed = try Data(contentsOf: URL(fileURLWithPath: path + ".gz"))
            var damaged = compressed
            damaged[compressed.count / 2] ^= 0xFF
            for broken in [compressed.dropLast(9), compressed.prefix(100), damaged] {
                try broken.write(to: URL(fileURLWithPath: path + ".gz"))
                #expect(throws: FetchBenchError.cannotRead(name: "it", errno: EBADMSG)) { try read() }
            }
        }
    }

    /// As `<(command)` of a shell hands it over.
    @Test func aPipeOfTheUsersIsReadToItsEnd() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("what it says".utf8))
        try pipe.fileHandleForWriting.close()
        let path = "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        #expect(try WholeFile.data(at: path, name: "it", allowsPipe: true) == Data("what it says".utf8))
    }
}

struct FileDraftTests {
    @Test func unfinishedDraftsLeaveTheOldFile() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try WholeFile.write("old", to: path, name: "file")
            do {
                let draft = try FileDraft(of: path, name: "file")
                try draft.append("half of a new ")
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }

    /// A follower of links would let anyone with access to the folder overwrite the user's files.
    @Test func aLinkOfTheDraftsNameIsNotFollowed() throws {
        try withTemporaryFolder { folder in
            let (path, other) = (folder + "/file", folder + "/other")
            try WholeFile.write("precious", to: other, name: "other")
            try FileManager.default.createSymbolicLink(atPath: path + ".tmp", withDestinationPath: other)
            try WholeFile.write("new", to: path, name: "file")
            #expect(try String(contentsOfFile: other, encoding: .utf8) == "precious")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
        }
    }

    @Test func finishedFilesAreComplete() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            let draft = try FileDraft(of: path, name: "file")
            try draft.append("one, ")
            try draft.append("two")
            try draft.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "one, two")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }
}

struct AppendingFileTests {
    @Test func linesAreAddedToWhatIsThere() throws {
        try withTemporaryFolder { folder in
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
        #expect(throws: FetchBenchError.cannotWrite(name: "trials.jsonl", errno: ENOSPC)) {
            try file.append("a line\n")
        }
    }

    @Test func aFileThatCannotBeMadeIsSaidWithItsReason() async throws {
        try await withTemporaryFolder { folder in
            #expect(throws: FetchBenchError.cannotWrite(name: "log", errno: ENOENT)) {
                try AppendingFile(path: folder + "/missing/log", name: "log")
            }
            await #expect(throws: FetchBenchError.cannotWrite(name: "TMPDIR", errno: ENOENT)) {
                try await TemporaryFolder.with(in: folder + "/missing", called: "TMPDIR") { _ in }
            }
        }
    }
}

struct PathTextTests {
    static let paths = [
        "/usr/bin/fetchbench", "fetchbench", "./fetchbench", "results/run", "results/run/", "results//run//", "/run",
        "/", "a/b/c.d", "..", ".", "ä/ö",
    ]

    @Test(arguments: paths)
    func folderIsThatOfTheCLibrary(path: String) {
        var bytes = Array(path.utf8CString)
        #expect(String(cString: dirname(&bytes)) == PathText.folder(of: path))
    }

    @Test(arguments: paths)
    func nameIsThatOfTheCLibrary(path: String) {
        var bytes = Array(path.utf8CString)
        #expect(String(cString: __xpg_basename(&bytes)) == PathText.name(of: path))
    }
}
