// SPDX-License-Identifier: Apache-2.0

import Foundation
import Scenarios
import Synchronization
import Testing
import TrialKit

/// A download that is cut and gone on with, by a fetcher that knows nothing of the one before.
@Suite(.timeLimit(.minutes(5)))
struct ResumableDownloadTests {
    private static let modes = ModeUnderTest.able(to: .resuming)
    private static let offset = 70_001

    /// An origin that knows ranges: the body has a tag, and its first answer stalls.
    private struct Origin: Sendable {
        var tag = "\"one\""
        var knowsRanges = true
        var body = TestBody.bytes

        func answer(_ request: String) -> LoopbackServer.Response {
            let fields = ["ETag: \(tag)"]
            guard knowsRanges, let first = first(of: request), isMeant(request) else {
                return .init("200 OK", fields + ["Content-Length: \(body.count)"], body: body)
            }
            guard first < body.count else {
                return .init("416 Range Not Satisfiable", fields + ["Content-Range: bytes */\(body.count)"])
            }
            let range = "Content-Range: bytes \(first)-\(body.count - 1)/\(body.count)"
            let part = Array(body[first...])
            return .init("206 Partial Content", fields + [range, "Content-Length: \(part.count)"], body: part)
        }

        private func field(_ name: String, of request: String) -> String? {
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }.map {
                String($0.dropFirst(name.count + 2))
            }
        }

        private func first(of request: String) -> Int? {
            field("range", of: request).flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        }

        private func isMeant(_ request: String) -> Bool {
            field("if-range", of: request).map { $0 == tag } ?? true
        }
    }

    /// Leaves the first part of a body on disk, as a process that was killed does.
    private func cut(_ download: ResumableDownload, with test: ModeUnderTest, at offset: Int = offset) async throws {
        var stalled = Origin().answer("GET / HTTP/1.1\r\n\r\n")
        stalled.pieces[1] = Array(TestBody.bytes[..<offset])
        stalled.stalls = true
        try await withServer(answering: stalled) { server, _ in
            let first = FetchRequest(url: try server.url(), destination: download.request.destination)
            try await test.mode.withFetcher { fetcher in
                var request = first
                request.resumption = download.request.resumption
                let asked = request
                let fetching = Task { try await fetcher.fetch(asked) }
                Thread.detachNewThread {
                    while download.partialByteCount != offset { Thread.sleep(forTimeInterval: 0.005) }
                    fetching.cancel()
                }
                await #expect(throws: FetchFailure.cancelled) { try await fetching.value }
            }
        }
    }

    private func withDownload(
        from origin: Origin, _ body: (ResumableDownload, LoopbackServer, _ file: String) async throws -> Void
    ) async throws {
        let script: LoopbackServer.Script = { origin.answer($0) }
        try await withServer(script) { server, folder in
            try await body(ResumableDownload(try server.url(), to: folder + "/file"), server, folder + "/file")
        }
    }

    private func fetch(
        _ download: ResumableDownload, with test: ModeUnderTest
    ) async throws -> ResumableDownload.Outcome {
        try await test.mode.withFetcher { try await download.fetch(with: $0) }
    }

    private func expectWhole(_ file: String, _ bytes: [UInt8] = TestBody.bytes) throws {
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(bytes))
        let folder = (file as NSString).deletingLastPathComponent
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
    }

    @Test(arguments: modes)
    func receivedPartsAreNotFetchedAgain(test: ModeUnderTest) async throws {
        try await withDownload(from: Origin()) { download, server, file in
            try await cut(download, with: test)
            let outcome = try await fetch(download, with: test)
            #expect(outcome.resumedAt == Self.offset)
            #expect(outcome.receivedByteCount == TestBody.bytes.count - Self.offset)
            #expect(outcome.requests == 1 && server.received.count == 1)
            try expectWhole(file)
        }
    }

    @Test(arguments: modes)
    func anotherVersionAndAServerWithoutRangesSendAllOfIt(test: ModeUnderTest) async throws {
        let other = TestBody.bytes.map { $0 ^ 1 }
        for origin in [Origin(tag: "\"two\"", body: other), Origin(knowsRanges: false, body: other)] {
            try await withDownload(from: origin) { download, server, file in
                try await cut(download, with: test)
                let outcome = try await fetch(download, with: test)
                #expect(outcome.resumedAt == 0 && outcome.receivedByteCount == other.count)
                #expect(server.received.count == 1)
                try expectWhole(file, other)
            }
        }
    }

    /// The body has become shorter than what is there, and its server compares no tags.
    @Test(arguments: modes)
    func refusedRangesAreFetchedWhole(test: ModeUnderTest) async throws {
        let short = Array(TestBody.bytes[..<1000])
        let script: LoopbackServer.Script = { request in
            request.contains("ange: bytes=")
                ? .init("416 Range Not Satisfiable", ["Content-Range: bytes */1000", "Content-Length: 0"])
                : Origin(body: short).answer(request)
        }
        try await withServer(script) { server, folder in
            let download = ResumableDownload(try server.url(), to: folder + "/file")
            try await cut(download, with: test)
            let outcome = try await fetch(download, with: test)
            #expect(outcome.requests == 2 && outcome.receivedByteCount == 1000 && outcome.resumedAt == 0)
            try expectWhole(folder + "/file", short)
        }
    }

    @Test(arguments: ["torn", "foreign", "missing", "longer"])
    func aStateOfNoUseIsIgnored(what: String) async throws {
        let test = try #require(Self.modes.first)
        try await withDownload(from: Origin()) { download, server, file in
            try await cut(download, with: test)
            let state = try #require(PartialState.read(besides: download.partial))
            switch what {
            case "torn":
                try Data(state.text.utf8.dropLast(2)).write(
                    to: URL(fileURLWithPath: PartialState.path(besides: download.partial)))
            case "foreign":
                try PartialState(
                    key: "another", validator: state.validator, totalByteCount: state.totalByteCount
                ).write(besides: download.partial)
            case "missing": PartialState.remove(besides: download.partial)
            default:
                try Data(repeating: 0, count: TestBody.bytes.count + 1)
                    .write(to: URL(fileURLWithPath: download.partial))
            }
            let outcome = try await fetch(download, with: test)
            #expect(outcome.receivedByteCount == TestBody.bytes.count && server.received.count == 1)
            try expectWhole(file)
        }
    }

    /// A process can be killed after the last byte, and before the file is in its place.
    @Test(arguments: modes)
    func completeBodiesAreOnlyMoved(test: ModeUnderTest) async throws {
        try await withDownload(from: Origin()) { download, server, file in
            try await cut(download, with: test)
            try Data(TestBody.bytes).write(to: URL(fileURLWithPath: download.partial))
            let outcome = try await fetch(download, with: test)
            #expect(outcome.requests == 0 && outcome.receivedByteCount == 0)
            #expect(outcome.resumedAt == TestBody.bytes.count)
            #expect(server.received.isEmpty)
            try expectWhole(file)
        }
    }
}
