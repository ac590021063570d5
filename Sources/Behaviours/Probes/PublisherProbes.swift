// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineDispatch
import OpenCombineDownload
import OpenCombineFoundation

extension ProbeCatalog {
    /// The start and end of a publisher's request, and the subscribers that get its body.
    static let publishers = [
        Probe("demand-starts") { try demandLater($0) },
        Probe("future-begins") { try future($0, deferred: false) },
        Probe("deferred-future") { try future($0, deferred: true) },
        Probe("connect-starts") { context in
            let connectable = try bodies(context, body).replaceError(with: Data()).makeConnectable()
            let publisher = connectable.setFailureType(to: (any Error).self).eraseToAnyPublisher()
            try connectLater(context, publisher) { connectable.connect() }
        },
        Probe("share-connect") { context in
            let connectable = try bodies(context, body).replaceError(with: Data()).share().makeConnectable()
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
        Probe("subscription-kept") { try keepSubscription($0) },
    ]

    private static let body = "/bytes/64KiB"
    /// A transfer that takes 8 s unless cancelled.
    private static let slow = "/bytes/8MiB?rate=1MiB"
    private static let cancelCount = 20

    /// Subscribes without demand, and asks for one value after the mark.
    private static func demandLater(_ context: ProbeContext) throws {
        let end = Signal()
        let sink = try SinkFile(context.file("body"))
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
        let sink = try SinkFile(context.file("body"))
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

    /// A subscriber that keeps its subscription, as one that asks for value after value has to.
    private final class Keeper: Subscriber {
        private var subscription: (any Subscription)?
        private let (end, letsGo): (Signal, Bool)

        init(_ end: Signal, letsGo: Bool) { (self.end, self.letsGo) = (end, letsGo) }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            subscription.request(.unlimited)
        }

        func receive(_ input: Data) -> Subscribers.Demand { .none }

        func receive(completion: Subscribers.Completion<any Error>) {
            if letsGo { subscription = nil }
            end.give()
        }
    }

    /// Reports whether a subscriber lives on half a second after its end.
    private static func keepSubscription(_ context: ProbeContext) throws {
        for letsGo in [false, true] {
            let end = Signal()
            weak var keeper: Keeper?
            try {
                let subscriber = Keeper(end, letsGo: letsGo)
                keeper = subscriber
                try bodies(context, body).subscribe(subscriber)
            }()
            end.take()
            Thread.sleep(forTimeInterval: 0.5)
            context.report(letsGo ? "let-go" : "kept", keeper == nil ? "gone" : "alive")
        }
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
    fileprivate func ignored() -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }
}

extension ProbeCatalog {
    static let publisherFailures = [
        Probe("retry-reset") { context in
            try collect(context, ["body": bodies(context, reset).retry(2).eraseToAnyPublisher()])
        },
        Probe("retry-post") { try retryPost($0) },
        Probe("catch-session") { context in
            let fallback = try session(context, "/bytes/64KiB", name: "second")
            let caught = try session(context, reset, name: "first").catch { _ in fallback }
            try collect(context, ["body": caught.eraseToAnyPublisher()])
        },
        Probe("decode-error") { context in
            let decoded = try bodies(context, "/bytes/64KiB")
                .decode(type: [String].self, decoder: JSONDecoder())
                .mapError { error in
                    context.report("error", error is DecodingError ? "DecodingError" : "\(error)")
                    return error
                }
                .replaceError(with: ["instead"])
                .map { Data($0.joined().utf8) }
                .setFailureType(to: (any Error).self)
            try collect(context, ["body": decoded.eraseToAnyPublisher()])
        },
        Probe("timeout-operator") { try timeOut($0) },
        Probe("sign-in-again") { try signInAgain($0) },
        Probe("receive-on-dispatch-main") { context in
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            try receive(context, on: DispatchQueue.main.ocombine) {
                context.report("on-queue", DispatchQueue.getSpecific(key: key) ?? false)
            }
        },
        Probe("receive-on-main") { context in
            try receive(context, on: OperationQueue.main.ocombine) {
                context.report("on-queue", OperationQueue.current === OperationQueue.main)
                context.report("main-thread", Thread.isMainThread)
            }
        },
        Probe("receive-on-run-loop") { try receiveOnRunLoop($0) },
        Probe("main-run-loop") { try performOnRunLoop($0) },
        Probe("publisher-values") { context in
            for try await data in try bodies(context, "/bytes/64KiB").values { try context.leave("body", data) }
        },
    ]

    private static let reset = "/faults/reset?size=64KiB&sent=16KiB"

    private static func retryPost(_ context: ProbeContext) throws {
        var request = URLRequest(url: try context.url("/faults/status/500"))
        request.httpMethod = "POST"
        request.httpBody = Data("order".utf8)
        try collect(context, ["body": bodies(request, .plain()).retry(2).eraseToAnyPublisher()])
    }

    /// Publishes the body that a session of its own fetches, which adds a header of this value.
    private static func session(
        _ context: ProbeContext, _ path: String, name: String
    ) throws -> AnyPublisher<Data, any Error> {
        let session = URLSession.plain { $0.httpAdditionalHeaders = ["X-Session": name] }
        return session.ocombine.dataTaskPublisher(for: try context.url(path)).map(\.data).mapError { $0 }
            .eraseToAnyPublisher()
    }

    /// Asks without credentials, and again with them when that fails.
    private static func signInAgain(_ context: ProbeContext) throws {
        let session = URLSession.plain { $0.timeoutIntervalForRequest = 2 }
        let request = URLRequest(url: try context.url("/auth/basic"))
        var signed = request
        signed.setValue(
            "Basic " + Data("user:password".utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        let again = bodies(signed, session)
        let received = Signal()
        let subscription = bodies(request, session).catch { _ in again }
            .sink(receiveCompletion: { _ in received.give() }, receiveValue: { context.report("delivered", $0.count) })
        try withExtendedLifetime(subscription) { try waitBeside(context, session, received) }
    }

    private static func timeOut(_ context: ProbeContext) throws {
        let queue = OperationQueue()
        let limited = try bodies(context, "/faults/silent")
            .timeout(.seconds(1), scheduler: queue.ocombine, customError: { URLError(.timedOut) })
        try collect(context, ["body": limited.eraseToAnyPublisher()])
        Thread.sleep(forTimeInterval: 1)
        context.mark("after")
    }

    private static func receiveOnRunLoop(_ context: ProbeContext) throws {
        let session = URLSession.plain()
        let publisher = session.ocombine.dataTaskPublisher(for: try context.url("/bytes/64KiB"))
        let received = Signal()
        let subscription = publisher.receive(on: RunLoop.main.ocombine)
            .sink(receiveCompletion: { _ in received.give() }, receiveValue: { _ in })
        try withExtendedLifetime(subscription) { try waitBeside(context, session, received) }
    }

    /// The same by a handler.
    private static func performOnRunLoop(_ context: ProbeContext) throws {
        let session = URLSession.plain()
        let received = Signal()
        session.dataTask(with: try context.url("/bytes/64KiB")) { _, _, _ in
            RunLoop.main.perform { received.give() }
        }.resume()
        try waitBeside(context, session, received)
    }

    private static func waitBeside(_ context: ProbeContext, _ session: URLSession, _ received: Signal) throws {
        fetch(context, session, URLRequest(url: try context.url("/bytes/64KiB")), as: "other-")
        context.report("received", received.take(within: 3))
    }
}
