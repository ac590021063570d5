// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// Files that have to end on another file system than that of temporary files.
@Suite(.timeLimit(.minutes(5)))
struct DestinationTests {
    private static func device(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int)
    }

    /// Makes a folder on another file system for the time of a test.
    private func withOtherFolder(_ body: (_ path: String) async throws -> Void) async throws {
        let temporary = try Self.device(of: FileManager.default.temporaryDirectory.path)
        let others = ["/dev/shm", "/var/tmp"].filter { (try? Self.device(of: $0)).map { $0 != temporary } == true }
        let parent = try #require(
            others.first, "this machine has one file system for /dev/shm, /var/tmp and temporary files")
        let folder = parent + "/fetchbench-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test(arguments: ModeUnderTest.toFile.filter { $0.mode.need == nil })
    func everyModeThatFetchesToAFileFetchesThere(test: ModeUnderTest) async throws {
        let response = LoopbackServer.Response(
            "200 OK", ["Content-Length: \(TestBody.bytes.count)"], body: TestBody.bytes)
        try await withServer(answering: response) { server, _ in
            try await withOtherFolder { folder in
                let body = try await test.fetch(try server.url(), to: folder)
                #expect(body.filePath == folder + "/body" && body.byteCount == TestBody.bytes.count)
                #expect(try body.bytes() == TestBody.bytes)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["body"])
            }
        }
    }

    @Test(arguments: ModeUnderTest.toFile.filter { $0.mode.name.contains("download") })
    func nothingIsLeftOfWhatCannotBeCopied(test: ModeUnderTest) async throws {
        let response = LoopbackServer.Response("200 OK", ["Content-Length: 4"], body: [1, 2, 3, 4])
        try await withServer(answering: response) { server, _ in
            let url = try server.url()
            try await withOtherFolder { folder in
                #expect(await test.failure(fetching: url, to: folder + "/missing")?.code == .file)
                let left = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(left.isEmpty)
            }
        }
    }

    @Test func aFileIsCopiedOverAnOlderOneAndRemoved() async throws {
        try await withTemporaryFolder { here in
            try await withOtherFolder { there in
                let (source, destination) = (here + "/source", there + "/destination")
                try Data("an older one".utf8).write(to: URL(fileURLWithPath: destination))
                try Data("new".utf8).write(to: URL(fileURLWithPath: source))
                #expect(try BodyFile.move(source, to: destination) == 3)
                #expect(FileManager.default.contents(atPath: destination) == Data("new".utf8))
                #expect(try FileManager.default.contentsOfDirectory(atPath: here).isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: there) == ["destination"])
            }
        }
    }

    @Test func aCopyThatFailsLeavesNoPartOfItself() async throws {
        try await withTemporaryFolder { here in
            try await withOtherFolder { there in
                let (source, destination) = (here + "/source", there + "/destination")
                // A folder in the place of the file: the last step fails.
                try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: false)
                try Data("new".utf8).write(to: URL(fileURLWithPath: source))
                #expect(
                    throws: FetchFailure(
                        .file, "the file to fetch to cannot be copied to another file system: Is a directory")
                ) { try BodyFile.move(source, to: destination) }
                #expect(try FileManager.default.contentsOfDirectory(atPath: there) == ["destination"])
                #expect(try FileManager.default.contentsOfDirectory(atPath: here) == ["source"])
            }
        }
    }
}
