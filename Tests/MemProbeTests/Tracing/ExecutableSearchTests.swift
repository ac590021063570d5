// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import TestSupport
import Testing

/// Programs, found as a shell finds them.
struct ExecutableSearchTests {
    /// Folders with something of the name `tool` in each, and what it is.
    private final class Shelf {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("search-\(UUID().uuidString)").path

        init() throws {
            for name in ["folder/tool", "file", "program", "link", "dangling", "empty"] {
                try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
            }
            let manager = FileManager.default
            _ = manager.createFile(
                atPath: "\(path)/file/tool", contents: Data(), attributes: [.posixPermissions: 0o644])
            _ = manager.createFile(
                atPath: "\(path)/program/tool", contents: Data(), attributes: [.posixPermissions: 0o755])
            try manager.createSymbolicLink(atPath: "\(path)/link/tool", withDestinationPath: "../program/tool")
            try manager.createSymbolicLink(atPath: "\(path)/dangling/tool", withDestinationPath: "../nowhere")
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func find(_ name: String, in folders: [String], from directory: String = "/") -> Result<String, MemProbeError> {
            let list = folders.map { $0.isEmpty || $0.hasPrefix(".") ? $0 : "\(path)/\($0)" }.joined(separator: ":")
            do throws(MemProbeError) {
                return .success(
                    try ExecutableSearch.path(of: name, environment: ["A=b", "PATH=\(list)"], in: directory))
            } catch {
                return .failure(error)
            }
        }

        func error(_ name: String, in folders: [String]) -> Int32? {
            guard case .failure(let error) = find(name, in: folders) else { return nil }
            return error.errno
        }
    }

    @Test(arguments: ["folder", "file", "dangling", "empty", "nowhere", "program/tool"])
    func whatIsNoProgramIsPassedOver(first: String) throws {
        let shelf = try Shelf()
        #expect(try shelf.find("tool", in: [first, "program"]).get() == "\(shelf.path)/program/tool")
    }

    @Test(arguments: [
        (["folder"], ENOENT), (["empty", "dangling"], ENOENT), (["file"], EACCES),
        (["file", "folder", "empty"], EACCES),
        ([], ENOENT),
    ])
    func theComplaintIsThatOfAShell(folders: [String], expected: Int32) throws {
        #expect(try Shelf().error("tool", in: folders) == expected)
    }

    @Test func aPathIsTakenAsItIs() throws {
        let shelf = try Shelf()
        #expect(try shelf.find("\(shelf.path)/link/tool", in: []).get() == "\(shelf.path)/link/tool")
        #expect(shelf.error("\(shelf.path)/folder/tool", in: ["program"]) == EISDIR)
        #expect(shelf.error("\(shelf.path)/file/tool", in: ["program"]) == EACCES)
        #expect(shelf.error("\(shelf.path)/nowhere", in: ["program"]) == ENOENT)
        #expect(shelf.error("", in: ["program"]) == ENOENT)
    }

    @Test(arguments: ["", "."])
    func anEmptyFolderIsTheOneItWorksIn(folder: String) throws {
        let shelf = try Shelf()
        #expect(try shelf.find("tool", in: [folder], from: shelf.path + "/program").get() == "./tool")
        #expect(try shelf.find("program/tool", in: [], from: shelf.path).get() == "program/tool")
        #expect(throws: MemProbeError.self) { try shelf.find("tool", in: [folder], from: shelf.path).get() }
    }

    @Test func withoutAPathTheSystemsFoldersAreSearched() throws {
        #expect(try ExecutableSearch.path(of: "sh", environment: []).hasSuffix("/bin/sh"))
    }
}
