// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// How modes go on with a body of which a part is in its file.
@Suite(.timeLimit(.minutes(5)))
struct ResumingTests {
    private static let modes = ModeUnderTest.able(to: .resuming)
    private static let key = PartialState.key(of: "the body of a test")
    private static let tag = "\"one\""
    private static let offset = 70_001

    private static func whole(_ fields: [String] = []) -> LoopbackServer.Response {
        .init("200 OK", ["Content-Length: \(TestBody.bytes.count)"] + fields, body: TestBody.bytes)
    }

    /// The part from a byte on, with the field that says so or with another one.
    private static func part(from first: Int, saying range: String? = nil) -> LoopbackServer.Response {
        let body = Array(TestBody.bytes[first...])
        let range = range ?? "bytes \(first)-\(TestBody.bytes.count - 1)/\(TestBody.bytes.count)"
        return .init(
            "206 Partial Content",
            ["Content-Length: \(body.count)", "Content-Range: \(range)", "ETag: \(tag)"], body: body)
    }

    private func request(
        _ url: URL, in folder: String, offset: Int = offset, validator: String? = tag
    ) throws -> FetchRequest {
        var request = FetchRequest(url: url, destination: folder + "/body")
        request.resumption = Resumption(offset: offset, validator: validator, key: Self.key)
        if offset > 0 {
            try Data(TestBody.bytes[..<offset]).write(to: URL(fileURLWithPath: request.destination))
            try PartialState(key: Self.key, validator: Self.tag, totalByteCount: TestBody.bytes.count)
                .write(besides: request.destination)
        }
        return request
    }

    private func fetch(_ request: FetchRequest, with test: ModeUnderTest) async throws -> FetchedBody {
        try await test.mode.withFetcher { try await $0.fetch(request) }
    }

    private func failure(_ request: FetchRequest, with test: ModeUnderTest) async throws -> FetchFailure.Code? {
        try await test.mode.withFetcher { await $0.failure(of: request)?.code }
    }

    private func field(_ name: String, of request: String?) -> String? {
        request?.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }.map {
            $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func modesOnEveryLibraryCanResume() {
        let names = Set(Self.modes.map(\.mode.name))
        #expect(names == ["stream", "stream-bounded", "ahc-stream", "nio-stream", "curl-stream", "raw"])
    }

    @Test(arguments: modes)
    func theRestIsAskedForAndAppended(test: ModeUnderTest) async throws {
        try await withServer(answering: Self.part(from: Self.offset)) { server, folder in
            let body = try await fetch(request(try server.url(), in: folder), with: test)
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(try body.bytes() == TestBody.bytes)
            #expect(body.sha256 == nil)
            #expect(
                body.entity
                    == BodyEntity(validator: Self.tag, totalByteCount: TestBody.bytes.count, offset: Self.offset))
            let asked = server.received.first
            #expect(field("range", of: asked) == "bytes=\(Self.offset)-")
            #expect(field("if-range", of: asked) == Self.tag)
            #expect(field("accept-encoding", of: asked) == "identity")
        }
    }

    @Test(arguments: modes)
    func anotherVersionAndAServerWithoutRangesStartTheFileAnew(test: ModeUnderTest) async throws {
        try await withServer(answering: Self.whole(["ETag: \"two\""])) { server, folder in
            let request = try request(try server.url(), in: folder)
            // Longer than the whole body: nothing of it may stay.
            try Data(repeating: 1, count: TestBody.bytes.count + 1000).write(
                to: URL(fileURLWithPath: request.destination))
            let body = try await fetch(request, with: test)
            #expect(try body.bytes() == TestBody.bytes)
            #expect(body.sha256 == TestBody.sha256)
            #expect(body.entity?.offset == 0)
            #expect(PartialState.read(besides: request.destination)?.validator == "\"two\"")
        }
    }

    @Test(arguments: modes)
    func theFirstRequestAsksForEverythingAndKeepsItsState(test: ModeUnderTest) async throws {
        try await withServer(answering: Self.whole(["ETag: \(Self.tag)"])) { server, folder in
            let request = try request(try server.url(), in: folder, offset: 0, validator: nil)
            let body = try await fetch(request, with: test)
            #expect(try body.bytes() == TestBody.bytes)
            #expect(field("range", of: server.received.first) == nil)
            #expect(
                PartialState.read(besides: request.destination)
                    == PartialState(key: Self.key, validator: Self.tag, totalByteCount: TestBody.bytes.count))
        }
    }

    /// A weak tag names no version, nor does a date that is not older than the answer.
    @Test(arguments: modes)
    func onlyAVersionThatIsNamedHasAState(test: ModeUnderTest) async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (fields, validator) in [
            ([], nil), (["ETag: W/\"weak\""], nil), (["Last-Modified: \(date)", "Date: \(date)"], nil),
            (["Last-Modified: \(date)", "Date: Mon, 07 Nov 1994 08:49:37 GMT"], date),
        ] as [([String], String?)] {
            try await withServer(answering: Self.whole(fields)) { server, folder in
                let request = try request(try server.url(), in: folder, offset: 0, validator: nil)
                #expect(try await fetch(request, with: test).entity?.validator == validator)
                #expect(PartialState.read(besides: request.destination)?.validator == validator)
            }
        }
    }

    /// Parts of other bytes or of another version, also one whose name is as long or differs in the last character, and
    /// statuses without the rest: the part that is there stays as it is.
    @Test(
        arguments: modes,
        [
            "bytes 70000-200002/200003", "bytes 0-200002/200003", "bytes 70001-200001/200003", "bytes */200003",
            "bytes 70001-", "pages 70001-200002/200003", "", "\"other\"", "\"two\"", String(tag.dropLast(2)) + "x\"",
            "416 Range Not Satisfiable", "404 Not Found", "206 Partial Content",
        ])
    func aPartThatIsAnotherOneIsRefusedAndTheOldOneStays(test: ModeUnderTest, other: String) async throws {
        let isStatus = other.first?.isNumber == true
        let isVersion = other.hasPrefix("\"")
        let part = Self.part(from: Self.offset, saying: isVersion ? nil : other)
        let answer = isStatus ? .init(other, ["Content-Length: 3"], body: [1, 2, 3]) : part
        try await withServer(answering: answer) { server, folder in
            let request = try request(try server.url(), in: folder, validator: isVersion ? other : Self.tag)
            let failure = try await failure(request, with: test)
            #expect(failure == (other.hasPrefix("404") ? .httpStatus : .rangeRefused))
            let content = try Data(contentsOf: URL(fileURLWithPath: request.destination))
            #expect(content == Data(TestBody.bytes[..<Self.offset]))
        }
    }

    @Test(arguments: modes)
    func receivedPartsRemainAfterCancellation(test: ModeUnderTest) async throws {
        var stalled = Self.whole(["ETag: \(Self.tag)"])
        stalled.pieces[1] = Array(TestBody.bytes[..<Self.offset])
        stalled.stalls = true
        try await withServer(answering: stalled) { server, folder in
            let request = try request(try server.url(), in: folder, offset: 0, validator: nil)
            try await test.mode.withFetcher { fetcher in
                let fetching = Task { try await fetcher.fetch(request) }
                Thread.detachNewThread {
                    while BodyFile.byteCount(of: request.destination) != Self.offset {
                        Thread.sleep(forTimeInterval: 0.005)
                    }
                    fetching.cancel()
                }
                await #expect(throws: FetchFailure.cancelled) { try await fetching.value }
            }
            let content = try Data(contentsOf: URL(fileURLWithPath: request.destination))
            #expect(content == Data(TestBody.bytes[..<Self.offset]))
            #expect(PartialState.read(besides: request.destination)?.key == Self.key)
        }
    }

    @Test(arguments: modes)
    func aHeaderAloneTellsTheBody(test: ModeUnderTest) async throws {
        let head = LoopbackServer.Response("200 OK", ["Content-Length: 200003", "ETag: \(Self.tag)"])
        try await withServer(answering: head) { server, folder in
            var request = FetchRequest(url: try server.url(), method: .head, destination: folder + "/body")
            request.resumption = Resumption(offset: 0, validator: nil, key: Self.key)
            let body = try await fetch(request, with: test)
            #expect(body.entity == BodyEntity(validator: Self.tag, totalByteCount: 200_003, offset: 0))
            #expect(!FileManager.default.fileExists(atPath: request.destination))
        }
    }
}

/// The document beside a part of a body.
struct PartialStateTests {
    private let state = PartialState(key: "abc", validator: "\"x y\"", totalByteCount: 12)

    @Test func writtenFilesAreRead() throws {
        try withTemporaryFolder { folder in
            for state in [state, PartialState(key: "k", validator: "v", totalByteCount: nil)] {
                try state.write(besides: folder + "/part")
                #expect(PartialState.read(besides: folder + "/part") == state)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["part.state"])
            PartialState.remove(besides: folder + "/part")
            #expect(PartialState.read(besides: folder + "/part") == nil)
        }
    }

    @Test func aTornDocumentIsNone() {
        for count in 0..<state.text.count { #expect(PartialState(parsing: String(state.text.prefix(count))) == nil) }
        #expect(PartialState(parsing: state.text) == state)
    }

    @Test(arguments: [
        "", "end\n", "fetchbench partial body 2\nk\nv\n1\nend\n", "fetchbench partial body 1\nk\nv\n-1\nend\n",
        "fetchbench partial body 1\n\nv\n1\nend\n", "fetchbench partial body 1\nk\nv\nx\nend\n",
        "fetchbench partial body 1\nk\nv\n1\nend\nmore\n", "fetchbench partial body 1\nk\nv\n1\n2\nend\n",
    ])
    func aForeignDocumentIsNone(text: String) {
        #expect(PartialState(parsing: text) == nil)
    }

    @Test func aLargeFileIsNoDocument() throws {
        try withTemporaryFolder { folder in
            try Data(repeating: 10, count: 100_000).write(to: URL(fileURLWithPath: folder + "/part.state"))
            #expect(PartialState.read(besides: folder + "/part") == nil)
        }
    }
}
