// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineFoundation

extension ProbeCatalog {
    /// Failures of a publisher, and the threads that its values arrive on.
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
        Probe("receive-on-main") { context in
            let received = try bodies(context, "/bytes/64KiB").receive(on: OperationQueue.main.ocombine).map { data in
                context.report("on-queue", OperationQueue.current === OperationQueue.main)
                context.report("main-thread", Thread.isMainThread)
                return data
            }
            try collect(context, ["body": received.eraseToAnyPublisher()])
        },
        Probe("receive-on-run-loop") { try receiveOnRunLoop($0) },
        Probe("main-run-loop") { try performOnRunLoop($0) },
        Probe("publisher-values") { context in
            for try await data in try bodies(context, "/bytes/64KiB").values { try context.leave("body", data) }
        },
    ]

    /// A body that is reset after a quarter.
    private static let reset = "/faults/reset?size=64KiB&sent=16KiB"

    private static func retryPost(_ context: ProbeContext) throws {
        var request = URLRequest(url: try context.url("/faults/status/500"))
        request.httpMethod = "POST"
        request.httpBody = Data("order".utf8)
        let posted = URLSession.plain().ocombine.dataTaskPublisher(for: request).tryMap { data, response in
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            return data
        }
        try collect(context, ["body": posted.retry(2).eraseToAnyPublisher()])
    }

    /// Publishes the body that a session of its own fetches, which adds a header of this value.
    private static func session(
        _ context: ProbeContext, _ path: String, name: String
    ) throws -> AnyPublisher<Data, any Error> {
        let session = URLSession.plain { $0.httpAdditionalHeaders = ["X-Session": name] }
        return session.ocombine.dataTaskPublisher(for: try context.url(path)).map(\.data).mapError { $0 }
            .eraseToAnyPublisher()
    }

    private static func timeOut(_ context: ProbeContext) throws {
        let queue = OperationQueue()
        let limited = try bodies(context, "/faults/silent")
            .timeout(.seconds(1), scheduler: queue.ocombine, customError: { URLError(.timedOut) })
        try collect(context, ["body": limited.eraseToAnyPublisher()])
        Thread.sleep(forTimeInterval: 1)
        context.mark("after")
    }

    /// Passes a body to the main run loop by a publisher.
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

    /// Waits 3 s for the main run loop, after another request of the session was answered.
    private static func waitBeside(_ context: ProbeContext, _ session: URLSession, _ received: Signal) throws {
        let answered = Signal()
        session.dataTask(with: try context.url("/bytes/64KiB")) { _, _, error in
            context.report("other-error", (error as NSError?)?.code ?? 0)
            answered.give()
        }.resume()
        answered.take()
        context.report("received", received.take(within: 3))
    }
}
