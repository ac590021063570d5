// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// Bodies and files of every mode after a successful response.
@Suite(.timeLimit(.minutes(5)))
struct FetchingTests {
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

    /// How the end of a body is told: by its length, by its last chunk, or by the end of its connection.
    enum Framing: CaseIterable {
        case length
        case chunks
        case close

        var response: LoopbackServer.Response {
            switch self {
            case .length: return TestBody.whole
            case .close: return .init("200 OK", body: TestBody.bytes)
            case .chunks:
                var response = LoopbackServer.Response("200 OK", ["Transfer-Encoding: chunked"])
                for start in stride(from: 0, to: TestBody.bytes.count, by: 70_001) {
                    let chunk = TestBody.bytes[start..<min(start + 70_001, TestBody.bytes.count)]
                    response.pieces += [Array("\(String(chunk.count, radix: 16))\r\n".utf8), Array(chunk), [13, 10]]
                }
                response.pieces.append(Array("0\r\n\r\n".utf8))
                return response
            }
        }
    }

    /// A mode that never holds the body hashes it on the way, and none does where the length is enough; an older file that
    /// is longer leaves nothing.
    @Test(arguments: ModeUnderTest.all, Framing.allCases)
    func aBodyArrivesWholeInItsPlace(test: ModeUnderTest, framing: Framing) async throws {
        try await withServer(answering: framing.response) { server, folder in
            let verification = framing == .close ? Verification.length : .sha256
            if test.fetchesToFile { try Data(TestBody.bytes + [1]).write(to: URL(fileURLWithPath: folder + "/body")) }
            let body = try await test.fetch(try server.url(), to: folder, verification: verification)
            try expectWholeBody(body, of: test, in: folder)
            let isHashed = test.mode.hashesOnTheWay && verification == .sha256
            #expect(isHashed ? body.sha256 == TestBody.sha256 : [nil, TestBody.sha256].contains(body.sha256))
            #expect(!isHashed || body.verificationCPUNanoseconds > 0)
            if verification == .length { #expect(body.sha256 == nil && body.verificationCPUNanoseconds == 0) }
            #expect(server.received.count == 1)
            #expect(server.received.first?.hasPrefix("GET /body HTTP/1.1\r\n") == true)
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
            let long = FetchRequest(url: try server.url("/long"), destination: folder + "/body")
            let short = FetchRequest(url: try server.url("/short"), destination: folder + "/body")
            try await test.mode.withFetcher { fetcher in
                #expect(try await fetcher.byteCount(of: long) == TestBody.bytes.count)
                let body = try await fetcher.fetch(short)
                #expect(body.byteCount == 3)
                try expectBytes(body, [1, 2, 3], of: test)
            }
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
            guard request.hasPrefix("GET /moved ") else { return TestBody.whole }
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

/// The blocking initialiser on the threads of Grand Central Dispatch's pool, on which the tests' tasks run as well.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct GCDDataTests {
    private func fetch(
        _ paths: [String], _ script: @escaping LoopbackServer.Script
    ) async throws -> (bodies: [FetchedBody], requestCount: Int) {
        let mode = try ModeUnderTest.named("gcd-data")
        return try await withServer(script) { server, folder in
            let requests = try paths.map { FetchRequest(url: try server.url($0), destination: folder + $0) }
            let bodies = try await mode.withFetcher { try await $0.fetch(requests) }
            return (bodies, server.received.count)
        }
    }

    /// More than there are threads at first.
    @Test func severalAtOnceStandInTheOrderOfTheirRequests() async throws {
        let numbers = (1...ProcessInfo.processInfo.activeProcessorCount + 2).map { $0 }
        let fetched = try await fetch(numbers.map { "/\($0)" }) { request in
            let number = Int(request.split(separator: " ")[1].dropFirst()) ?? 0
            return .init("200 OK", ["Content-Length: \(number)"], body: [UInt8](repeating: 7, count: number))
        }
        #expect(fetched.bodies.map(\.byteCount) == numbers)
        #expect(fetched.requestCount == numbers.count)
    }

    @Test func aRefusedStatusIsAFailure() async throws {
        await #expect(throws: FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell")) {
            _ = try await fetch(["/missing"]) { _ in .init("404 Not Found", ["Content-Length: 0"]) }
        }
    }
}

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
        try await withServer(answering: TestBody.whole) { server, _ in
            try await withOtherFolder { folder in
                let body = try await test.fetch(try server.url(), to: folder)
                #expect(body.filePath == folder + "/body" && body.byteCount == TestBody.bytes.count)
                #expect(try body.bytes() == TestBody.bytes)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["body"])
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

/// Files in the temporary folder after a fetch, recognised by bodies that only this test sends.
@Suite(.timeLimit(.minutes(5)))
struct TemporaryFileTests {
    /// A body that is this test's alone.
    private static func uniqueBody() -> [UInt8] { Array("the body of \(UUID())".utf8) }

    private func temporaryFiles(holding body: [UInt8]) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.path
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            name.hasSuffix(".tmp") && FileManager.default.contents(atPath: folder + "/" + name) == Data(body)
        }
    }

    @Test(arguments: ModeUnderTest.all, ["200 OK", "404 Not Found", "a folder that is missing"])
    func noPartOfABodyStaysThere(test: ModeUnderTest, status: String) async throws {
        let body = Self.uniqueBody()
        let isMissing = status.hasPrefix("a ")
        let response = LoopbackServer.Response(
            isMissing ? "200 OK" : status, ["Content-Length: \(body.count)"], body: body)
        try await withServer(answering: response) { server, folder in
            let failure = await test.failure(fetching: try server.url(), to: folder + (isMissing ? "/missing" : ""))
            let expected: FetchFailure.Code? = isMissing ? (test.fetchesToFile ? .file : nil) : .httpStatus
            #expect(failure?.code == (status == "200 OK" ? nil : expected))
            #expect(failure?.detail.contains(folder) != true)
            #expect(try temporaryFiles(holding: body).isEmpty)
        }
    }
}
