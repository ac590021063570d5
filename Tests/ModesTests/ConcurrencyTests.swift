// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
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
    @Test(arguments: ModeUnderTest.able(to: .concurrency).filter { $0.mode.name != "loop-data" })
    func fetchesAtOnceDoNotMixTheirBodies(test: ModeUnderTest) async throws {
        let all = Meeting(of: Self.count)
        let script: LoopbackServer.Script = { request in
            all.wait()
            var response = Self.answer(request)
            // The first is the last to arrive.
            if Self.number(of: request) == 0 { response.delay = 0.2 }
            return response
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

    init(of count: Int) { missing = count }

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

/// Differences between Foundation's blocking initialisers and the other modes.
@Suite(.timeLimit(.minutes(5)))
struct BlockingModeTests {
    static let modes = ModeUnderTest.all.filter(\.blocks)

    private static func response(_ status: String, _ text: String) -> LoopbackServer.Response {
        .init(status, ["Content-Length: \(text.utf8.count)"], body: Array(text.utf8))
    }

    @Test(arguments: modes, ["404 Not Found", "500 Internal Server Error"])
    func aRefusedStatusIsKnownAsOneAndNotToldWhich(test: ModeUnderTest, status: String) async throws {
        try await withServer(answering: Self.response(status, "not found")) { server, folder in
            let failure = await test.failure(fetching: try server.url(), to: folder)
            #expect(failure == FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell"))
        }
    }

    /// The hash of the asset is what finds it out.
    @Test(arguments: modes, ["401 Unauthorized", "206 Partial Content"])
    func theseStatusesPassForAnAsset(test: ModeUnderTest, status: String) async throws {
        try await withServer(answering: Self.response(status, "no asset")) { server, folder in
            let body = try await test.fetch(try server.url(), to: folder)
            #expect(try body.bytes() == Array("no asset".utf8))
        }
    }

    @Test func theStringIsTextOfAnyAlphabet() async throws {
        let text = "Grüße, 世界, 🌍 – " + String(repeating: "é", count: 5000)
        try await withServer(answering: Self.response("200 OK", text)) { server, folder in
            let body = try await ModeUnderTest(mode: ModeUnderTest.named("sync-string")).fetch(
                try server.url(), to: folder)
            #expect(body.byteCount == text.utf8.count)
            #expect(try body.bytes() == Array(text.utf8))
            // Both at once are the same bytes, not a copy each.
            guard case .memory(let bytes) = body.content else { return #expect(Bool(false), "not in memory") }
            bytes.withUnsafeBytes { first in
                bytes.withUnsafeBytes { second in #expect(first.baseAddress == second.baseAddress) }
            }
        }
    }

    @Test func bytesThatAreNoTextAreNoString() async throws {
        let bytes: [UInt8] = [0x66, 0xFF, 0xFE, 0x80, 0x66]
        try await withServer(answering: .init("200 OK", ["Content-Length: 5"], body: bytes)) { server, folder in
            let failure = try await ModeUnderTest(mode: ModeUnderTest.named("sync-string")).failure(
                fetching: try server.url(), to: folder)
            #expect(failure == FetchFailure(.other, "the body is not valid UTF-8"))
        }
    }

    /// As many waiting fetches as would occupy every thread of Swift's tasks, were they to wait on those.
    @Test(arguments: modes)
    func aFetchThatWaitsLeavesTheThreadsOfTasksAlone(test: ModeUnderTest) async throws {
        let ended = Counter()
        let fetches = try await withServer(answering: TestBody.stalled) { server, folder in
            let url = try server.url()
            let fetches = (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
                Task {
                    let failure = await test.failure(fetching: url, to: folder)
                    ended.next()
                    return failure
                }
            }
            while server.received.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(ended.count == 0)
            return fetches
        }
        for fetch in fetches { #expect(await fetch.value != nil) }
    }
}

private final class Counter: Sendable {
    private let last = Atomic(0)

    var count: Int { last.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The remaining fetches of a throwing task group after one has failed.
@Suite(.timeLimit(.minutes(5)))
struct TaskGroupTests {
    static let modes = ModeUnderTest.all.filter { $0.mode.name.hasPrefix("taskgroup-") }

    /// A silent connection that is not cancelled is given up after so many seconds, and not by the server.
    private static let settings = FetchSettings.test { $0.idleTimeoutSeconds = 120 }

    private func request(_ path: String, _ server: LoopbackServer, _ folder: String) throws -> FetchRequest {
        FetchRequest(url: try server.url(path), destination: folder + path)
    }

    /// The session is still alive: what closes the connections is the end of their tasks, long before their time-out.
    private func waitForClosing(_ server: LoopbackServer, since start: ContinuousClock.Instant) async throws {
        while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(ContinuousClock.now - start < .seconds(100))
    }

    @Test(arguments: modes)
    func theFirstErrorCancelsTheOthers(test: ModeUnderTest) async throws {
        let all = Meeting(of: 4)
        let script: LoopbackServer.Script = { request in
            all.wait()
            let isMissing = request.hasPrefix("GET /missing ")
            return isMissing ? .init("404 Not Found", ["Content-Length: 0"]) : TestBody.stalled
        }
        try await withServer(script) { server, folder in
            let start = ContinuousClock.now
            try await test.mode.withFetcher(Self.settings) { fetcher in
                let requests = try ["/slow-1", "/slow-2", "/missing", "/slow-3"].map { try request($0, server, folder) }
                await #expect(throws: FetchFailure(.httpStatus, "status 404")) { try await fetcher.fetch(requests) }
                try await waitForClosing(server, since: start)
            }
            #expect(server.received.count == 4)
        }
    }

    /// Two requests for one URL, whose second answer differs from its first.
    @Test func bodiesOfEqualURLsAreOneInADictionaryAndTwoInOrder() async throws {
        let count = Counter()
        let script: LoopbackServer.Script = { _ in
            .init("200 OK", ["Content-Length: 1"], body: [UInt8(count.next())])
        }
        for (name, distinct) in [("taskgroup-data", 2), ("taskgroup-dictionary", 1), ("loop-data", 2)] {
            let mode = try ModeUnderTest.named(name)
            try await withServer(script) { server, folder in
                let requests = try ["/same", "/same"].map { try request($0, server, folder) }
                let bodies = try await mode.withFetcher { try await $0.fetch(requests) }
                #expect(bodies.count == 2 && server.received.count == 2)
                #expect(Set(try bodies.map { try $0.bytes() }).count == distinct, "\(name)")
            }
        }
    }

    @Test func aDiscardingGroupKeepsHashesAlone() async throws {
        let mode = try ModeUnderTest.named("taskgroup-discarding")
        try await withServer(answering: TestBody.whole) { server, folder in
            let requests = try ["/1", "/2", "/3"].map { try request($0, server, folder) }
            let bodies = try await mode.withFetcher { try await $0.fetch(requests) }
            #expect(bodies.map(\.byteCount) == [Int](repeating: TestBody.bytes.count, count: 3))
            #expect(bodies.allSatisfy { $0.sha256 == TestBody.sha256 })
            for body in bodies { #expect(try body.bytes().isEmpty) }
        }
    }

    /// Cancelled at every moment of a short fetch, of which the last ones are those that trap in the async functions.
    ///
    /// The cache of the shared session cannot be taken away: it is not cancelled.
    @Test(arguments: modes, SessionKind.allCases.filter { $0 != .shared })
    func cancellingAtAnyMomentEndsTheFetch(test: ModeUnderTest, session: SessionKind) async throws {
        // Files that a cancelled download leaves in the temporary folder are found by their contents and removed.
        let count = TestBody.unfinished.count
        let whole = LoopbackServer.Response("200 OK", ["Content-Length: \(count)"], body: TestBody.unfinished)
        try await withServer(answering: whole) { server, folder in
            try await test.mode.withFetcher(.test { $0.session = session }) { fetcher in
                for moment in 0..<200 {
                    let requests = try ["/1", "/2"].map { try request($0, server, folder) }
                    let fetching = Task { try await fetcher.fetch(requests) }
                    try await Task.sleep(for: .microseconds(moment * 20))
                    fetching.cancel()
                    let bodies = try? await fetching.value
                    #expect(bodies == nil || bodies?.map(\.byteCount) == [count, count])
                }
            }
        }
    }
}
