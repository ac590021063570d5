// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// What Foundation's blocking initialisers do otherwise than every other mode.
@Suite(.timeLimit(.minutes(5)))
struct BlockingModeTests {
    static let modes = ModeUnderTest.all.filter(\.blocks)

    private static func mode(_ name: String) throws -> ModeUnderTest {
        try #require(modes.first { $0.mode.name == name })
    }

    private static func response(_ status: String, _ text: String) -> LoopbackServer.Response {
        .init(status, ["Content-Length: \(text.utf8.count)"], body: Array(text.utf8))
    }

    @Test(arguments: modes, ["403 Forbidden", "404 Not Found", "500 Internal Server Error", "416 No"])
    func aRefusedStatusIsKnownAsOneAndNotToldWhich(test: ModeUnderTest, status: String) async throws {
        try await withServer(answering: Self.response(status, "not found")) { server, folder in
            let failure = await test.failure(fetching: try server.url(), to: folder)
            #expect(failure == FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell"))
        }
    }

    /// The hash of the asset is what finds it out.
    @Test(arguments: modes, ["401 Unauthorized", "407 Proxy Authentication Required", "206 Partial Content"])
    func theseStatusesPassForAnAsset(test: ModeUnderTest, status: String) async throws {
        try await withServer(answering: Self.response(status, "no asset")) { server, folder in
            let body = try await test.fetch(try server.url(), to: folder)
            #expect(try body.bytes() == Array("no asset".utf8))
        }
    }

    @Test func theStringIsTextOfAnyAlphabet() async throws {
        let text = "Grüße, 世界, 🌍 – " + String(repeating: "é", count: 5000)
        try await withServer(answering: Self.response("200 OK", text)) { server, folder in
            let body = try await Self.mode("sync-string").fetch(try server.url(), to: folder)
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
            let failure = try await Self.mode("sync-string").failure(fetching: try server.url(), to: folder)
            #expect(failure == FetchFailure(.other, "the body is not valid UTF-8"))
        }
    }

    /// As many waiting fetches as would occupy every thread of Swift's tasks, were they to wait on those.
    @Test(arguments: modes)
    func aFetchThatWaitsLeavesTheThreadsOfTasksAlone(test: ModeUnderTest) async throws {
        var stalled = LoopbackServer.Response("200 OK", ["Content-Length: 1000"], body: TestBody.unfinished)
        stalled.stalls = true
        let ended = Counter()
        let fetches = try await withServer(answering: stalled) { server, folder in
            let url = try server.url()
            let fetches = (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
                Task {
                    let failure = await test.failure(fetching: url, to: folder)
                    ended.count.withLock { $0 += 1 }
                    return failure
                }
            }
            while server.received.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(ended.count.withLock { $0 } == 0)
            return fetches
        }
        for fetch in fetches { #expect(await fetch.value != nil) }
    }
}

/// What several tasks count together.
private final class Counter: Sendable {
    let count = Mutex(0)
}
