// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineDownload
import OpenCombineFoundation

extension ProbeCatalog {
    /// What starts the request of a publisher, what ends it, and which subscribers get its body.
    static let publishers = [
        Probe("demand-starts") { try demandLater($0) },
        Probe("future-begins") { try future($0, deferred: false) },
        Probe("deferred-future") { try future($0, deferred: true) },
        Probe("connect-starts") { context in
            let connectable = try bodies(context, body).replaceError(with: Data()).makeConnectable()
            let publisher = connectable.setFailureType(to: (any Error).self).eraseToAnyPublisher()
            try connectLater(context, publisher) { connectable.connect() }
        },
        Probe("multicast") { context in
            let multicast = try bodies(context, body).multicast { PassthroughSubject<Data, any Error>() }
            try connectLater(context, multicast.eraseToAnyPublisher()) { multicast.connect() }
        },
        Probe("subject-subscribe") { context in
            let subject = PassthroughSubject<Data, any Error>()
            let publisher = subject.eraseToAnyPublisher()
            var upstream: AnyCancellable?
            try collect(context, ["first": publisher, "second": publisher]) {
                upstream = try bodies(context, body).subscribe(subject)
            }
            upstream?.cancel()
        },
        Probe("published-assign") { try assign($0) },
        Probe("share-unlike") { context in
            let shared = try bodies(context, "/bytes/64KiB?delay=300").share()
            let counts = shared.map { Data("\($0.count)".utf8) }
            try collect(context, ["first": shared.eraseToAnyPublisher(), "count": counts.eraseToAnyPublisher()])
        },
        Probe("share-late") { context in
            let shared = try bodies(context, body).share()
            try collect(context, ["first": shared.eraseToAnyPublisher()])
            try collect(context, ["second": shared.eraseToAnyPublisher()])
            context.report("second", "ended")
        },
        Probe("publisher-cancel") { context in
            let session = URLSession.plain()
            try cancelEach(context) { session.ocombine.dataTaskPublisher(for: $0).ignored() }
        },
        Probe("publisher-cancel-download") { context in
            let session = URLSession.plain()
            let file = URL(fileURLWithPath: context.file("body"))
            try cancelEach(context) { session.downloadTaskPublisher(for: $0, to: file).ignored() }
        },
        Probe("cancellable-dropped") { try dropEach($0) },
    ]

    private static let body = "/bytes/64KiB"
    /// A transfer that takes 8 s unless cancelled.
    private static let slow = "/bytes/8MiB?rate=1MiB"
    private static let cancelCount = 20

    /// Subscribes without demand, and asks for one value after the mark.
    private static func demandLater(_ context: ProbeContext) throws {
        let end = Signal()
        let sink = try BodyFile(context.file("body"))
        var subscription: (any Subscription)?
        let subscriber = AnySubscriber<Data, any Error>(
            receiveSubscription: { subscription = $0 },
            receiveValue: {
                sink.append($0)
                return .none
            }, receiveCompletion: { _ in end.give() })
        try bodies(context, body).subscribe(subscriber)
        markLater(context)
        subscription?.request(.max(1))
        end.take()
    }

    /// Subscribes twice to a future of a data task, after the mark.
    private static func future(_ context: ProbeContext, deferred: Bool) throws {
        let url = try context.url(body)
        let session = URLSession.plain()
        let make = { @Sendable in Future { promise in fulfil(promise, session, url) } }
        let publisher = deferred ? Deferred { make() }.eraseToAnyPublisher() : make().eraseToAnyPublisher()
        markLater(context)
        try collect(context, ["first": publisher, "second": publisher])
    }

    private static func fulfil(
        _ promise: @escaping Future<Data, any Error>.Promise, _ session: URLSession, _ url: URL
    ) {
        // OpenCombine's promises are not Sendable; this one is called once.
        nonisolated(unsafe) let promise = promise
        session.dataTask(with: url) { data, _, error in
            promise(error.map { .failure($0) } ?? .success(data ?? Data()))
        }.resume()
    }

    /// Connects two subscribers after the mark.
    private static func connectLater(
        _ context: ProbeContext, _ publisher: AnyPublisher<Data, any Error>, _ connect: () -> any Cancellable
    ) throws {
        var connection: (any Cancellable)?
        try collect(context, ["first": publisher, "second": publisher]) {
            markLater(context)
            connection = connect()
        }
        connection?.cancel()
    }

    /// Marks what was requested half a second after the last call.
    private static func markLater(_ context: ProbeContext) {
        Thread.sleep(forTimeInterval: 0.5)
        context.mark("waiting")
    }

    private final class Model {
        @OpenCombine.Published var body = Data()
    }

    private static func assign(_ context: ProbeContext) throws {
        let end = Signal()
        let sink = try BodyFile(context.file("body"))
        let model = Model()
        let observer = model.$body.dropFirst().sink {
            sink.append($0)
            end.give()
        }
        try bodies(context, body).replaceError(with: Data()).assign(to: &model.$body)
        withExtendedLifetime(observer) { end.take() }
    }

    /// Cancels each subscription 40 ms after its beginning, and marks what was left a second later.
    private static func cancelEach(_ context: ProbeContext, subscribe: (URL) -> AnyCancellable) throws {
        var subscriptions: [AnyCancellable] = []
        for _ in 0..<cancelCount {
            let subscription = subscribe(try context.url(slow))
            subscriptions.append(subscription)
            Thread.sleep(forTimeInterval: 0.04)
            subscription.cancel()
        }
        Thread.sleep(forTimeInterval: 1)
        withExtendedLifetime(subscriptions) { context.mark("after") }
    }

    private static func dropEach(_ context: ProbeContext) throws {
        let session = URLSession.plain()
        for _ in 0..<cancelCount {
            let subscription = session.ocombine.dataTaskPublisher(for: try context.url(slow)).ignored()
            withExtendedLifetime(subscription) { Thread.sleep(forTimeInterval: 0.04) }
        }
        Thread.sleep(forTimeInterval: 1)
        context.mark("after")
    }
}

extension Publisher {
    /// Subscribes and does nothing with values or completions.
    fileprivate func ignored() -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }
}
