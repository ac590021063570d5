// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// What a throwing task group does with the fetches that remain when one has failed.
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
            var response = LoopbackServer.Response("200 OK", ["Content-Length: 1000"], body: TestBody.unfinished)
            response.stalls = true
            return request.hasPrefix("GET /missing ") ? .init("404 Not Found", ["Content-Length: 0"]) : response
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
        let count = Counted()
        let script: LoopbackServer.Script = { _ in
            .init("200 OK", ["Content-Length: 1"], body: [UInt8(count.next())])
        }
        for (name, distinct) in [("taskgroup-data", 2), ("taskgroup-dictionary", 1)] {
            let test = try #require(Self.modes.first { $0.mode.name == name })
            try await withServer(script) { server, folder in
                let requests = try ["/same", "/same"].map { try request($0, server, folder) }
                let bodies = try await test.mode.withFetcher { try await $0.fetch(requests) }
                #expect(bodies.count == 2 && server.received.count == 2)
                #expect(Set(try bodies.map { try $0.bytes() }).count == distinct, "\(name)")
            }
        }
    }

    @Test func aDiscardingGroupKeepsHashesAlone() async throws {
        let test = try #require(Self.modes.first { $0.mode.name == "taskgroup-discarding" })
        let whole = LoopbackServer.Response(
            "200 OK", ["Content-Length: \(TestBody.bytes.count)"], body: TestBody.bytes)
        try await withServer(answering: whole) { server, folder in
            let requests = try ["/1", "/2", "/3"].map { try request($0, server, folder) }
            let bodies = try await test.mode.withFetcher { try await $0.fetch(requests) }
            #expect(bodies.map(\.byteCount) == [Int](repeating: TestBody.bytes.count, count: 3))
            #expect(bodies.allSatisfy { $0.sha256 == TestBody.sha256 })
            for body in bodies { #expect(try body.bytes().isEmpty) }
        }
    }

    @Test(arguments: modes)
    func aCancelledGroupEndsItsFetches(test: ModeUnderTest) async throws {
        var stalled = LoopbackServer.Response("200 OK", ["Content-Length: 1000"], body: TestBody.unfinished)
        stalled.stalls = true
        try await withServer(answering: stalled) { server, folder in
            let requests = try ["/1", "/2"].map { try request($0, server, folder) }
            let start = ContinuousClock.now
            try await test.mode.withFetcher(Self.settings) { fetcher in
                let fetching = Task { try await fetcher.fetch(requests) }
                while server.received.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
                fetching.cancel()
                await #expect(throws: FetchFailure.self) { try await fetching.value }
                try await waitForClosing(server, since: start)
            }
        }
    }

    /// Cancelled at every moment of a short fetch, of which the last ones are those that trap in the async functions.
    ///
    /// The cache of the shared session cannot be taken away: it is not cancelled.
    @Test(arguments: modes, SessionKind.allCases.filter { $0 != .shared })
    func cancellingAtAnyMomentEndsTheFetch(test: ModeUnderTest, session: SessionKind) async throws {
        // What a cancelled download leaves in the temporary folder is removed by what it holds.
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

/// Numbers in their order.
private final class Counted: Sendable {
    private let last = Atomic(0)

    func next() -> Int {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
