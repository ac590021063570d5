// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// Several fetches at once through one fetcher.
@Suite(.timeLimit(.minutes(5)))
struct ConcurrencyTests {
    private static let count = 5

    /// The body of a number: each of its own length and its own bytes, in several chunks.
    private static func body(_ number: Int) -> [UInt8] {
        (0..<100_000 + number * 7).map { UInt8(($0 + number) % 100) }
    }

    /// The number at the end of a request's path.
    private static func number(of request: String) -> Int {
        Int(request.split(separator: " ")[1].dropFirst()) ?? -1
    }

    private static func answer(_ request: String) -> LoopbackServer.Response {
        let body = body(number(of: request))
        return .init("200 OK", ["Content-Length: \(body.count)"], body: body)
    }

    private func requests(
        _ numbers: some Sequence<Int>, _ server: LoopbackServer, _ folder: String
    ) throws -> [FetchRequest] {
        try numbers.map { FetchRequest(url: try server.url("/\($0)"), destination: folder + "/body-\($0)") }
    }

    private func expect(
        _ body: FetchedBody, toBe number: Int, of test: ModeUnderTest, in folder: String
    ) throws {
        let bytes = Self.body(number)
        #expect(body.byteCount == bytes.count)
        if test.mode.yieldsBody { #expect(try body.bytes() == bytes) }
        #expect(body.filePath == (test.fetchesToFile ? folder + "/body-\(number)" : nil))
        #expect(body.sha256 == nil || body.sha256 == TestBody.sha256(of: bytes))
    }

    /// The origin answers nothing until all have connected; a mode that fetches one after another would wait for ever.
    @Test(arguments: ModeUnderTest.able(to: .concurrency))
    func fetchesAtOnceDoNotMixTheirBodies(test: ModeUnderTest) async throws {
        let all = Meeting(of: Self.count)
        let script: LoopbackServer.Script = { request in
            all.wait()
            return Self.answer(request)
        }
        try await withServer(script) { server, folder in
            let bodies = try await test.mode.withFetcher { fetcher in
                try await fetcher.fetch(try requests(0..<Self.count, server, folder))
            }
            #expect(bodies.count == Self.count)
            for (number, body) in bodies.enumerated() { try expect(body, toBe: number, of: test, in: folder) }
            #expect(server.received.count == Self.count)
            #expect(server.mostUnansweredAtOnce == Self.count)
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .concurrency))
    func theBodiesStandInTheOrderOfTheirRequests(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { request in
            var response = Self.answer(request)
            // The first is the last to arrive.
            if Self.number(of: request) == 3 { response.delay = 0.3 }
            return response
        }
        try await withServer(script) { server, folder in
            let numbers = [3, 1, 2]
            let bodies = try await test.mode.withFetcher { fetcher in
                try await fetcher.fetch(try requests(numbers, server, folder))
            }
            #expect(bodies.count == numbers.count)
            for (number, body) in zip(numbers, bodies) { try expect(body, toBe: number, of: test, in: folder) }
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .concurrency))
    func theFailureOfOneIsTheFailureOfAll(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { request in
            Self.number(of: request) == 1 ? .init("404 Not Found", ["Content-Length: 0"]) : Self.answer(request)
        }
        try await withServer(script) { server, folder in
            // Foundation's blocking initialisers tell no status.
            let detail = test.blocks ? "a status that Foundation refuses and does not tell" : "status 404"
            await #expect(throws: FetchFailure(.httpStatus, detail)) {
                try await test.mode.withFetcher { fetcher in
                    try await fetcher.fetch(try requests(0..<Self.count, server, folder))
                }
            }
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .connectionLimit))
    func aSessionOpensNoMoreConnectionsThanItMay(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { request in
            var response = Self.answer(request)
            response.delay = 0.05
            return response
        }
        try await withServer(script) { server, folder in
            let bodies = try await test.mode.withFetcher(.test { $0.maximumConnectionsPerHost = 1 }) { fetcher in
                try await fetcher.fetch(try requests(0..<Self.count, server, folder))
            }
            for (number, body) in bodies.enumerated() { try expect(body, toBe: number, of: test, in: folder) }
            #expect(server.mostUnansweredAtOnce == 1)
        }
    }
}

/// Holds up every thread until so many are there.
final class Meeting: Sendable {
    private let condition = NSCondition()
    private nonisolated(unsafe) var missing: Int

    init(of count: Int) {
        missing = count
    }

    /// Waits for the others, not as long as a mode waits for an answer.
    func wait() {
        let end = Date(timeIntervalSinceNow: 18)
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        condition.broadcast()
        while missing > 0, condition.wait(until: end) {}
    }
}
