// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineDownload
import OpenCombineModes
import Synchronization
import Testing
import TrialKit

/// A publisher of a download: when it asks the origin, what it tells, and how it ends.
@Suite(.timeLimit(.minutes(5)))
struct DownloadTaskPublisherTests {
    private func withPublisher(
        answering response: LoopbackServer.Response,
        _ body: (DownloadTaskPublisher, LoopbackServer, _ file: String) async throws -> Void
    ) async throws {
        try await withPublisher({ _ in response }, body)
    }

    private func withPublisher(
        _ script: @escaping LoopbackServer.Script,
        _ body: (DownloadTaskPublisher, LoopbackServer, _ file: String) async throws -> Void
    ) async throws {
        Leftovers.removeAtExit()
        try await withServer(script) { server, folder in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = 120
            let session = URLSession(configuration: configuration)
            defer { session.finishTasksAndInvalidate() }
            let file = folder + "/body"
            let publisher = session.downloadTaskPublisher(for: try server.url(), to: URL(fileURLWithPath: file))
            try await body(publisher, server, file)
        }
    }

    @Test func noRequestReachesTheOriginBeforeThereIsDemand() async throws {
        try await withPublisher(answering: TestBody.whole) { publisher, server, _ in
            let subscriber = ProbeSubscriber(of: publisher, .none)
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.received.isEmpty)
            #expect(subscriber.events.isEmpty)
            subscriber.request(.max(1))
            try await subscriber.waitForEnd()
            #expect(server.received.count == 1)
        }
    }

    @Test func thereIsOneValueAndThenTheEnd() async throws {
        try await withPublisher(answering: TestBody.whole) { publisher, server, file in
            let subscriber = ProbeSubscriber(of: publisher, .unlimited)
            for _ in 0..<2 { subscriber.request(.unlimited) }
            try await subscriber.waitForEnd()
            #expect(subscriber.events == [.value(file: file, byteCount: TestBody.bytes.count, status: 200), .finished])
            // The file was in its place when the value was told.
            #expect(subscriber.fileAtValue == Data(TestBody.bytes))
            subscriber.request(.max(1))
            try await Task.sleep(for: .milliseconds(50))
            #expect(server.received.count == 1)
            #expect(subscriber.events.count == 2)
        }
    }

    @Test func aStatusIsAValueWhichIsForTheSubscriberToJudge() async throws {
        let missing = LoopbackServer.Response("404 Not Found", ["Content-Length: 2"], body: [1, 2])
        try await withPublisher(answering: missing) { publisher, _, file in
            let subscriber = ProbeSubscriber(of: publisher, .max(1))
            try await subscriber.waitForEnd()
            #expect(subscriber.events == [.value(file: file, byteCount: 2, status: 404), .finished])
        }
    }

    @Test func aConnectionThatEndsEarlyIsAFailure() async throws {
        try await withPublisher(answering: TestBody.cut) { publisher, _, file in
            let subscriber = ProbeSubscriber(of: publisher, .max(1))
            try await subscriber.waitForEnd()
            #expect(subscriber.events == [.failure(.unknown)])
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func cancellingEndsTheConnectionAndTellsNothing() async throws {
        try await withPublisher(answering: TestBody.stalled) { publisher, server, _ in
            let subscriber = ProbeSubscriber(of: publisher, .max(1))
            while server.sentByteCount < TestBody.unfinished.count { try await Task.sleep(for: .milliseconds(5)) }
            subscriber.cancel()
            // The session is still alive, and gives a silent connection up after two minutes.
            let start = ContinuousClock.now
            while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(ContinuousClock.now - start < .seconds(100))
            try await Task.sleep(for: .milliseconds(50))
            #expect(subscriber.events.isEmpty)
            // A subscription that has ended starts nothing any more.
            subscriber.request(.max(1))
            try await Task.sleep(for: .milliseconds(50))
            #expect(server.received.count == 1)
        }
    }

    /// At any moment of a short download: what has cancelled owns the destination.
    @Test func noFileIsMovedToItsPlaceAfterCancelling() async throws {
        try await withPublisher(answering: TestBody.whole) { publisher, _, file in
            for moment in 0..<200 {
                let subscriber = ProbeSubscriber(of: publisher, .max(1))
                try await Task.sleep(for: .microseconds(moment * 20))
                subscriber.cancel()
                try? FileManager.default.removeItem(atPath: file)
                try await Task.sleep(for: .milliseconds(1))
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }
    }

    @Test(arguments: [false, true])
    func subscribersAreReleasedAfterCancellationAndTheEnd(cancels: Bool) async throws {
        try await withPublisher(answering: TestBody.whole) { publisher, _, _ in
            var subscriber: ProbeSubscriber? = ProbeSubscriber(of: publisher, cancels ? .none : .max(1))
            // It holds its subscription, which holds it in turn until the end.
            weak let observed = subscriber
            if cancels { subscriber?.cancel() } else { try await subscriber?.waitForEnd() }
            subscriber = nil
            let end = ContinuousClock.now + .seconds(60)
            while observed != nil, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(observed == nil)
        }
    }

    @Test func subscribersThatShareHaveOneRequestAndTheSameValue() async throws {
        let both = Meeting(of: 2)
        let script: LoopbackServer.Script = { _ in
            both.wait()
            return TestBody.whole
        }
        try await withPublisher(script) { publisher, server, file in
            let shared = publisher.share()
            let subscribers = [ProbeSubscriber(of: shared, .max(1)), ProbeSubscriber(of: shared, .max(1))]
            // Only now may the origin answer: who comes after the value gets none.
            both.wait()
            for subscriber in subscribers { try await subscriber.waitForEnd() }
            #expect(server.received.count == 1)
            let events = [
                ProbeSubscriber.Event.value(file: file, byteCount: TestBody.bytes.count, status: 200), .finished,
            ]
            #expect(subscribers.allSatisfy { $0.events == events })
        }
    }

    @Test func oneBodySubscriberIsToldOfItsCancellation() async throws {
        try await withPublisher(answering: TestBody.stalled) { publisher, server, _ in
            let result: Result<FetchedBody, FetchFailure> = await withCheckedContinuation { continuation in
                let subscriber = OneBodySubscriber { continuation.resume(returning: $0) }
                publisher.map { FetchedBody(content: .nothing, byteCount: $0.byteCount) }
                    .mapError { FetchFailure(.other, "\($0)") }.subscribe(subscriber)
                Thread.detachNewThread {
                    while server.received.isEmpty { Thread.sleep(forTimeInterval: 0.005) }
                    subscriber.cancel()
                }
            }
            #expect(throws: FetchFailure(.other, "the subscription was cancelled")) { try result.get() }
        }
    }

    @Test func aPublisherThatEndsWithoutABodyIsAFailure() async {
        let result: Result<FetchedBody, FetchFailure> = await withCheckedContinuation { continuation in
            Empty<FetchedBody, FetchFailure>().subscribe(OneBodySubscriber { continuation.resume(returning: $0) })
        }
        #expect(throws: FetchFailure(.other, "the publisher finished without a body")) { try result.get() }
    }
}

/// The publisher of a download with every kind of subscriber that Combine has.
@Suite(.timeLimit(.minutes(5)))
struct DownloadTaskSubscriberTests {
    private func withSession(
        _ body: (URLSession, LoopbackServer, _ file: URL) async throws -> Void
    ) async throws {
        Leftovers.removeAtExit()
        try await withServer(answering: TestBody.whole) { server, folder in
            let session = URLSession(configuration: .ephemeral)
            defer { session.finishTasksAndInvalidate() }
            try await body(session, server, URL(fileURLWithPath: folder + "/body"))
        }
    }

    @Test func aSinkGetsTheValueAndTheEnd() async throws {
        try await withSession { session, server, file in
            // An existing file at the destination is replaced.
            try Data(repeating: 9, count: 500_000).write(to: file)
            let publisher = session.downloadTaskPublisher(for: try server.url(), to: file)
            var subscription: AnyCancellable?
            let told = await withCheckedContinuation { continuation in
                let values = Told<Int>()
                subscription = publisher.sink(
                    receiveCompletion: { _ in continuation.resume(returning: values.all) },
                    receiveValue: { values.add($0.byteCount) })
            }
            withExtendedLifetime(subscription) {}
            #expect(told == [TestBody.bytes.count])
            #expect(try Data(contentsOf: file) == Data(TestBody.bytes))
        }
    }

    @Test func lettingGoOfASinkEndsItsDownload() async throws {
        try await withServer(answering: TestBody.stalled) { server, folder in
            let session = URLSession(configuration: .ephemeral)
            defer { session.finishTasksAndInvalidate() }
            let told = Told<Int>()
            var subscription: AnyCancellable? = session.downloadTaskPublisher(
                for: try server.url(), to: URL(fileURLWithPath: folder + "/body")
            ).sink(receiveCompletion: { _ in told.add(-1) }, receiveValue: { told.add($0.byteCount) })
            while server.sentByteCount < TestBody.unfinished.count { try await Task.sleep(for: .milliseconds(5)) }
            withExtendedLifetime(subscription) {}
            subscription = nil
            while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(told.all.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}

final class Told<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []

    var all: [Value] { lock.withLock { values } }

    func add(_ value: Value) { lock.withLock { values.append(value) } }
}
