// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// Cancellation of a fetch before it begins, while its body arrives, and afterwards.
@Suite(.timeLimit(.minutes(5)))
struct CancellationTests {
    /// A silent connection that is not cancelled is given up after so many seconds, and not by the server.
    private static let settings = FetchSettings.test { $0.idleTimeoutSeconds = 240 }

    /// Modes that block their thread would delay other tests by a second each time.
    private static let needed: Set<ModeAbility> = [.cancellation, .concurrency]

    private func failure(of fetching: Task<FetchedBody, any Error>) async -> FetchFailure? {
        do {
            _ = try await fetching.value
            return nil
        } catch {
            return error as? FetchFailure
        }
    }

    /// Cancels as soon as something is the case, from a thread of its own: a mode may block those of the tasks.
    private func cancel(
        _ fetching: Task<FetchedBody, any Error>, when isTime: @escaping @Sendable () -> Bool
    ) {
        Thread.detachNewThread {
            while !isTime() { Thread.sleep(forTimeInterval: 0.005) }
            // The bytes sent are now on their way to the fetcher.
            Thread.sleep(forTimeInterval: 0.05)
            fetching.cancel()
        }
    }

    private func files(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? ["no folder"]
    }

    /// The rows cancel-async-fast and cancel-download-async show it.
    @Test func onlyTheAsyncFunctionsHang() {
        #expect(ModeCatalog.all.filter { $0.onCancel == .hangs }.map(\.name) == ["data-async", "download-async"])
    }

    @Test(arguments: ModeUnderTest.all.filter { $0.mode.onCancel == .runsOn && $0.mode.name != "none" })
    func aModeThatCannotBeCancelledRunsOn(test: ModeUnderTest) async throws {
        let isCancelled = Meeting(of: 2)
        let script: LoopbackServer.Script = { _ in
            isCancelled.wait()
            return TestBody.whole
        }
        try await withServer(script) { server, folder in
            let request = FetchRequest(url: try server.url(), destination: folder + "/body")
            try await test.mode.withFetcher(Self.settings) { fetcher in
                let fetching = Task { try await fetcher.fetch(request) }
                while server.received.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                fetching.cancel()
                isCancelled.wait()
                #expect(try await fetching.value.byteCount == TestBody.bytes.count)
            }
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .cancellation))
    func aFetchThatIsCancelledBeforeItBeginsAsksForNothing(test: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            let request = FetchRequest(url: try server.url(), destination: folder + "/body")
            try await test.mode.withFetcher(Self.settings) { fetcher in
                let fetching = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await fetcher.fetch(request)
                }
                #expect(await failure(of: fetching) == .cancelled)
                #expect(server.received.isEmpty)
                #expect(files(in: folder).isEmpty)
            }
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .cancellation))
    func aFetchThatIsCancelledInItsBodyLeavesItsConnectionAndNoFile(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { $0.hasPrefix("GET /stalled ") ? TestBody.stalled : TestBody.whole }
        try await withServer(script) { server, folder in
            let request = FetchRequest(url: try server.url("/stalled"), destination: folder + "/stalled")
            try await test.mode.withFetcher(Self.settings) { fetcher in
                let fetching = Task { try await fetcher.fetch(request) }
                cancel(fetching) { server.sentByteCount >= TestBody.unfinished.count }
                #expect(await failure(of: fetching) == .cancelled)
                while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(files(in: folder).isEmpty)
                // The fetcher still works.
                let again = FetchRequest(url: try server.url("/whole"), destination: folder + "/whole")
                #expect(try await fetcher.byteCount(of: again) == TestBody.bytes.count)
                #expect(server.received.count == 2)
            }
        }
    }

    /// The last moments of a fetch are those in which URLSession can trap.
    @Test(arguments: ModeUnderTest.able(to: .cancellation))
    func cancellingAtAnyMomentEndsTheFetch(test: ModeUnderTest) async throws {
        // Files that a cancelled download leaves in the temporary folder are found by their contents and removed.
        let count = TestBody.unfinished.count
        let whole = LoopbackServer.Response("200 OK", ["Content-Length: \(count)"], body: TestBody.unfinished)
        try await withServer(answering: whole) { server, folder in
            try await test.mode.withFetcher(Self.settings) { fetcher in
                for moment in 0..<200 {
                    let request = FetchRequest(url: try server.url(), destination: folder + "/\(moment)")
                    let fetching = Task { try await fetcher.fetch(request) }
                    // The fetch has to end before its session does, also when this test runs out of time.
                    try? await Task.sleep(for: .microseconds(moment * 20))
                    fetching.cancel()
                    let failure = await failure(of: fetching)
                    try Task.checkCancellation()
                    #expect(failure == nil || failure == .cancelled)
                    let isThere = files(in: folder).contains("\(moment)")
                    #expect(isThere == (failure == nil && test.fetchesToFile))
                }
            }
        }
    }

    /// Its consumer would need a quarter of an hour for what is waiting for it.
    @Test(arguments: ModeUnderTest.able(to: .slowConsumer).filter { $0.mode.abilities.isSuperset(of: needed) })
    func aSlowConsumerIsHandedNothingMore(test: ModeUnderTest) async throws {
        let (size, count) = (65_536, 256)
        var long = LoopbackServer.Response("200 OK", ["Content-Length: \(size * count)"])
        long.pieces += [[UInt8]](repeating: [UInt8](repeating: 7, count: size), count: count)
        try await withServer(answering: long) { server, folder in
            let request = FetchRequest(url: try server.url(), destination: folder + "/body")
            let settings = FetchSettings.test { $0.consumerDelayNanoseconds = 1_000_000_000 }
            try await test.mode.withFetcher(settings) { fetcher in
                let fetching = Task { try await fetcher.fetch(request) }
                cancel(fetching) { server.sentByteCount > 2 * size }
                #expect(await failure(of: fetching) == .cancelled)
            }
        }
    }

    @Test(arguments: ModeUnderTest.able(to: .cancellation).filter { $0.mode.abilities.contains(.concurrency) })
    func theOthersGoOnWhenOneIsCancelled(test: ModeUnderTest) async throws {
        let both = Meeting(of: 3)
        let script: LoopbackServer.Script = { request in
            if request.hasPrefix("GET /stalled ") { return TestBody.stalled }
            both.wait()
            return TestBody.whole
        }
        try await withServer(script) { server, folder in
            try await test.mode.withFetcher(Self.settings) { fetcher in
                func fetch(_ path: String) throws -> Task<FetchedBody, any Error> {
                    let request = FetchRequest(url: try server.url(path), destination: folder + path)
                    return Task { try await fetcher.fetch(request) }
                }
                let (stalled, others) = (try fetch("/stalled"), [try fetch("/1"), try fetch("/2")])
                while server.received.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
                stalled.cancel()
                #expect(await failure(of: stalled) == .cancelled)
                both.wait()
                for other in others { #expect(try await other.value.byteCount == TestBody.bytes.count) }
            }
        }
    }
}
