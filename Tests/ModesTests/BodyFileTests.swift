// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

struct BodyFileTests {
    @Test func anOlderLongerFileLeavesNothingBehind() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/body"
            try Data(TestBody.bytes).write(to: URL(fileURLWithPath: path))
            let file = try BodyFile(creating: path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
            for text in ["short", "", "er"] { try write(text, to: file) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("shorter".utf8))
        }
    }

    @Test func aFullDiskIsAFailureOfTheFile() throws {
        let file = try BodyFile(creating: "/dev/full")
        #expect(
            throws: FetchFailure(.file, "the file to fetch to cannot be written: No space left on device (ENOSPC)")
        ) { try write("a", to: file) }
    }

    @Test func aFolderThatIsMissingIsAFailureWithoutItsPath() throws {
        try withTemporaryFolder { folder in
            #expect(
                throws: FetchFailure(.file, "the file to fetch to cannot be created: No such file or directory")
            ) { try BodyFile(creating: folder + "/missing/body") }
        }
    }

    @Test func aFinishedFileIsMovedOverAnOlderOne() throws {
        try withTemporaryFolder { folder in
            let (source, destination) = (folder + "/source", folder + "/destination")
            try Data(TestBody.bytes).write(to: URL(fileURLWithPath: destination))
            try Data("new".utf8).write(to: URL(fileURLWithPath: source))
            #expect(try BodyFile.move(source, to: destination) == 3)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["destination"])
            #expect(
                throws: FetchFailure(
                    .file, "the file to fetch to cannot be moved to its place: No such file or directory")
            ) { try BodyFile.move(source, to: destination) }
        }
    }

    private func write(_ text: String, to file: BodyFile) throws(FetchFailure) {
        let bytes = Array(text.utf8)
        // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
        try bytes.withUnsafeBytes { bytes -> Result<Void, FetchFailure> in
            do throws(FetchFailure) {
                return .success(try file.write(bytes))
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

struct StreamedHashTests {
    @Test(arguments: [1, 1000, 65_536, 200_003])
    func theHashDoesNotDependOnThePieces(size: Int) {
        var hash = StreamedHash(.sha256)
        for start in stride(from: 0, to: TestBody.bytes.count, by: size) {
            TestBody.bytes[start..<min(start + size, TestBody.bytes.count)].withUnsafeBytes { hash.update($0) }
        }
        #expect(hash.finish() == TestBody.sha256)
        #expect(hash.cpuNanoseconds > 0)
    }

    /// The test vectors of FIPS 180-2 for no bytes and for `abc`.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func theHashIsSHA256(text: String, sha256: String) {
        var hash = StreamedHash(.sha256)
        Array(text.utf8).withUnsafeBytes { hash.update($0) }
        #expect(hash.finish() == sha256)
    }

    @Test func noByteIsHashedWhereTheLengthIsEnough() {
        var hash = StreamedHash(.length)
        TestBody.bytes.withUnsafeBytes { hash.update($0) }
        #expect(hash.finish() == nil)
        #expect(hash.cpuNanoseconds == 0)
    }
}

/// Bodies that are handed to who consumes them, in the modes that say they can.
@Suite(.timeLimit(.minutes(5)))
struct BodyConsumerTests {
    /// Keeps what it is handed, to compare it.
    private final class Collector: BodyConsumer {
        private let state = Mutex(Collected())

        private struct Collected {
            var bytes: [UInt8] = []
            var pieces = 0
        }

        func take(_ bytes: UnsafeRawBufferPointer) {
            state.withLock {
                $0.bytes += bytes
                $0.pieces += 1
            }
        }

        var bytes: [UInt8] { state.withLock { $0.bytes } }
        var pieces: Int { state.withLock { $0.pieces } }
    }

    @Test func theStreamsHandOutPieces() {
        let names = ModeUnderTest.able(to: .pieces).map(\.mode.name)
        #expect(names.sorted() == ["ahc-stream", "curl-stream", "nio-stream", "raw", "stream", "stream-bounded"])
        #expect(ModeUnderTest.able(to: .pieces).allSatisfy { $0.mode.hashesOnTheWay }, "nobody can hash it afterwards")
    }

    @Test(arguments: ModeUnderTest.able(to: .pieces))
    func theBodyGoesToItsConsumerAndIntoNoFile(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            let collector = Collector()
            var request = FetchRequest(url: try server.url(), destination: folder + "/body")
            request.consumer = collector
            let asked = request
            let body = try #require(try await test.mode.withFetcher { try await $0.fetch([asked]) }.first)
            #expect(collector.bytes == TestBody.bytes)
            #expect(collector.pieces > 1)
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(body.sha256 == TestBody.sha256)
            guard case .consumed(let consumer) = body.content else { throw FetchFailure(.other, "it is elsewhere") }
            #expect(consumer === collector)
            #expect(!FileManager.default.fileExists(atPath: folder + "/body"))
        }
    }
}
