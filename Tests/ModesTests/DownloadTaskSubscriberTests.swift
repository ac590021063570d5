// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineDownload
import Testing

/// The publisher of a download with every kind of subscriber that Combine has.
@Suite(.timeLimit(.minutes(5)))
struct DownloadTaskSubscriberTests {
    private static let whole = LoopbackServer.Response(
        "200 OK", ["Content-Length: \(TestBody.bytes.count)"], body: TestBody.bytes)

    private func withSession(
        _ body: (URLSession, LoopbackServer, _ file: URL) async throws -> Void
    ) async throws {
        Leftovers.removeAtExit()
        try await withServer(answering: Self.whole) { server, folder in
            let session = URLSession(configuration: .ephemeral)
            defer { session.finishTasksAndInvalidate() }
            try await body(session, server, URL(fileURLWithPath: folder + "/body"))
        }
    }

    @Test func aSinkGetsTheValueAndTheEnd() async throws {
        try await withSession { session, server, file in
            // What is in the place of the file is replaced.
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

    @Test func aPropertyIsAssignedTheFile() async throws {
        try await withSession { session, server, file in
            var request = URLRequest(url: try server.url())
            request.setValue("yes", forHTTPHeaderField: "X-Asked")
            let publisher = session.downloadTaskPublisher(for: request, to: file)
            var subscription: AnyCancellable?
            let shown = await withCheckedContinuation { continuation in
                let view = View { continuation.resume(returning: $0) }
                subscription = publisher.map { $0.file as URL? }.replaceError(with: nil).assign(to: \.file, on: view)
            }
            withExtendedLifetime(subscription) {}
            #expect(shown == file)
            #expect(server.received.first?.lowercased().contains("x-asked: yes") == true)
        }
    }

    @Test func aSubjectHandsTheValueToAllOfItsSubscribers() async throws {
        try await withSession { session, server, file in
            let subject = PassthroughSubject<DownloadTaskPublisher.Output, URLError>()
            let subscribers = [ProbeSubscriber(), ProbeSubscriber()]
            for subscriber in subscribers {
                subject.subscribe(subscriber)
                subscriber.request(.unlimited)
            }
            let subscription = session.downloadTaskPublisher(for: try server.url(), to: file).subscribe(subject)
            for subscriber in subscribers { try await subscriber.waitForEnd() }
            withExtendedLifetime(subscription) {}
            #expect(server.received.count == 1)
            let events = [
                ProbeSubscriber.Event.value(file: file.path, byteCount: TestBody.bytes.count, status: 200), .finished,
            ]
            #expect(subscribers.allSatisfy { $0.events == events })
        }
    }

    @Test func lettingGoOfASinkEndsItsDownload() async throws {
        var stalled = LoopbackServer.Response("200 OK", ["Content-Length: 1000"], body: TestBody.unfinished)
        stalled.stalls = true
        try await withServer(answering: stalled) { server, folder in
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

    /// What has a property to assign to.
    private final class View: @unchecked Sendable {
        private let shown: @Sendable (URL?) -> Void

        var file: URL? {
            didSet { shown(file) }
        }

        init(_ shown: @escaping @Sendable (URL?) -> Void) {
            self.shown = shown
        }
    }
}

/// What closures were told, in that order.
final class Told<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []

    var all: [Value] { lock.withLock { values } }

    func add(_ value: Value) {
        lock.withLock { values.append(value) }
    }
}
