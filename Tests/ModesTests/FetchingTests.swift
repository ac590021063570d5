// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// What every mode leaves behind of a good answer.
@Suite(.timeLimit(.minutes(5)))
struct FetchingTests {
    private static let whole = LoopbackServer.Response("200 OK", [length], body: TestBody.bytes)
    private static let length = "Content-Length: \(TestBody.bytes.count)"

    private func expectWholeBody(
        _ body: FetchedBody, of test: ModeUnderTest, in folder: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(body.byteCount == TestBody.bytes.count, sourceLocation: location)
        try expectBytes(body, TestBody.bytes, of: test, location)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(body.filePath == (test.fetchesToFile ? folder + "/body" : nil), sourceLocation: location)
        #expect(files == (test.fetchesToFile ? ["body"] : []), sourceLocation: location)
    }

    /// Compares the bytes of a body, where the mode left any.
    private func expectBytes(
        _ body: FetchedBody, _ bytes: [UInt8], of test: ModeUnderTest, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try body.bytes() == (test.mode.yieldsBody ? bytes : []), sourceLocation: location)
    }

    @Test(arguments: ModeUnderTest.all)
    func aBodyArrivesWholeInItsPlace(test: ModeUnderTest) async throws {
        try await withServer(answering: Self.whole) { server, folder in
            let body = try await test.fetch(try server.url(), to: folder)
            try expectWholeBody(body, of: test, in: folder)
            #expect(body.sha256 == nil || body.sha256 == TestBody.sha256)
            #expect(server.received.count == 1)
            #expect(server.received.first?.hasPrefix("GET /body HTTP/1.1\r\n") == true)
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func aChunkedBodyArrivesWhole(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { _ in
            var response = LoopbackServer.Response("200 OK", ["Transfer-Encoding: chunked"])
            for start in stride(from: 0, to: TestBody.bytes.count, by: 70_001) {
                let chunk = TestBody.bytes[start..<min(start + 70_001, TestBody.bytes.count)]
                response.pieces += [Array("\(String(chunk.count, radix: 16))\r\n".utf8), Array(chunk), [13, 10]]
            }
            response.pieces.append(Array("0\r\n\r\n".utf8))
            return response
        }
        try await withServer(script) { server, folder in
            try expectWholeBody(try await test.fetch(try server.url(), to: folder), of: test, in: folder)
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func aBodyThatEndsWithItsConnectionArrivesWhole(test: ModeUnderTest) async throws {
        try await withServer(answering: .init("200 OK", body: TestBody.bytes)) { server, folder in
            try expectWholeBody(try await test.fetch(try server.url(), to: folder), of: test, in: folder)
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func theBodyIsAskedForWithItsQuery(test: ModeUnderTest) async throws {
        try await withServer(answering: .init("200 OK", ["Content-Length: 1"], body: [7])) { server, folder in
            _ = try await test.fetch(try server.url("/a%20b/c?seed=7&name=%C3%A4"), to: folder)
            let request = try #require(server.received.first)
            #expect(request.hasPrefix("GET /a%20b/c?seed=7&name=%C3%A4 HTTP/1.1\r\n"))
            #expect(request.lowercased().contains("\r\nhost: 127.0.0.1:\(server.port)\r\n"))
            let encodings = request.lowercased().split(separator: "\r\n").filter { $0.hasPrefix("accept-encoding:") }
            // The blocking initialisers cannot be told, and take the body in any encoding.
            #expect(encodings.contains("accept-encoding: identity") == !test.blocks)
            #expect(encodings.count == 1 && encodings.contains { $0.contains("gzip") } == test.blocks)
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func oneFetcherFetchesAgainAndKeepsNothingOfTheFirstBody(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { request in
            let body = request.hasPrefix("GET /short ") ? [1, 2, 3] : TestBody.bytes
            return .init("200 OK", ["Content-Length: \(body.count)"], body: body)
        }
        try await withServer(script) { server, folder in
            let settings = FetchSettings(verification: .sha256, idleTimeoutSeconds: 200)
            let fetcher = try test.mode.makeFetcher(settings)
            let long = FetchRequest(url: try server.url("/long"), destination: folder + "/body")
            let short = FetchRequest(url: try server.url("/short"), destination: folder + "/body")
            #expect(try await fetcher.fetch(long).byteCount == TestBody.bytes.count)
            let body = try await fetcher.fetch(short)
            #expect(body.byteCount == 3)
            try expectBytes(body, [1, 2, 3], of: test)
            await fetcher.invalidate()
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func whereTheLengthIsEnoughNothingIsHashed(test: ModeUnderTest) async throws {
        try await withServer(answering: Self.whole) { server, folder in
            let body = try await test.fetch(try server.url(), to: folder, verification: .length)
            #expect(body.sha256 == nil)
            #expect(body.verificationCPUNanoseconds == 0)
            try expectBytes(body, TestBody.bytes, of: test)
        }
    }

    @Test(arguments: ModeUnderTest.all.filter(\.mode.hashesOnTheWay))
    func aModeThatNeverHoldsTheBodyHashesItOnTheWay(test: ModeUnderTest) async throws {
        try await withServer(answering: Self.whole) { server, folder in
            let body = try await test.fetch(try server.url(), to: folder)
            #expect(body.sha256 == TestBody.sha256)
            #expect(body.verificationCPUNanoseconds > 0)
        }
    }

    @Test(arguments: ModeUnderTest.all)
    func aHeaderAloneHasNoBody(test: ModeUnderTest) async throws {
        try await withServer(answering: .init("200 OK", [Self.length])) { server, folder in
            let body = try await test.fetch(try server.url(), to: folder, method: .head)
            #expect(body.byteCount == 0)
            #expect(try body.bytes().isEmpty)
            // The blocking initialisers know no HEAD, and ask for nothing rather than for the whole body.
            #expect(server.received.map { $0.hasPrefix("HEAD /body HTTP/1.1\r\n") } == (test.blocks ? [] : [true]))
        }
    }

    @Test(arguments: ModeUnderTest.redirected)
    func aRedirectIsFollowedAndItsOwnBodyForgotten(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { request in
            guard request.hasPrefix("GET /moved ") else { return Self.whole }
            return .init("302 Found", ["Location: /body", "Content-Length: 5"], body: Array("moved".utf8))
        }
        try await withServer(script) { server, folder in
            let body = try await test.fetch(try server.url("/moved"), to: folder)
            try expectWholeBody(body, of: test, in: folder)
            let lines = server.received.map { $0.prefix { $0 != "\r\n" } }
            #expect(lines == ["GET /moved HTTP/1.1", "GET /body HTTP/1.1"])
        }
    }
}
