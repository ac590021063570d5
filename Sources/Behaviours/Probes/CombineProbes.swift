// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineFoundation

extension ProbeCatalog {
    static let combine = [
        Probe("share") { context in
            let shared = try bodies(context, "/bytes/64KiB?delay=300").share()
            try collect(context, ["first": shared.eraseToAnyPublisher(), "second": shared.eraseToAnyPublisher()])
        },
        Probe("retry") { context in
            try collect(context, ["body": bodies(context, "/faults/status/500").retry(2).eraseToAnyPublisher()])
        },
        Probe("catch") { context in
            let fallback = try bodies(context, "/bytes/64KiB")
            let caught = try bodies(context, "/faults/status/500").catch { _ in fallback }
            try collect(context, ["body": caught.eraseToAnyPublisher()])
        },
        Probe("catch-fails") { context in
            let fallback = try bodies(context, "/faults/reset?size=64KiB&sent=16KiB")
            let caught = try bodies(context, "/faults/status/500").catch { _ in fallback }
            try collect(context, ["body": caught.eraseToAnyPublisher()])
        },
        Probe("replace-error") { context in
            let replaced = try bodies(context, "/faults/status/500").replaceError(with: Data("instead".utf8))
                .setFailureType(to: (any Error).self)
            try collect(context, ["body": replaced.eraseToAnyPublisher()])
        },
        Probe("receive-on") { context in
            let queue = OperationQueue()
            try receive(context, on: queue.ocombine) { context.report("on-queue", OperationQueue.current === queue) }
        },
        Probe("order-flat-map") { context in
            let publishers = try order.map { try bodies(context, $0) }
            let merged = publishers.publisher.setFailureType(to: (any Error).self).flatMap { $0 }
            try collect(context, ["body": merged.eraseToAnyPublisher()])
        },
        Probe("order-zip") { context in
            let publishers = try order.map { try bodies(context, $0) }
            let zipped = publishers[0].zip(publishers[1], publishers[2]).map { $0.0 + $0.1 + $0.2 }
            try collect(context, ["body": zipped.eraseToAnyPublisher()])
        },
        Probe("order-task-group") { try await taskGroup($0) },
    ]

    /// Paths whose answers arrive in reverse order.
    private static let order = [
        "/bytes/64KiB?seed=1&delay=900", "/bytes/64KiB?seed=2&delay=500", "/bytes/64KiB?seed=3&delay=100",
    ]

    static func bodies(_ context: ProbeContext, _ path: String) throws -> AnyPublisher<Data, any Error> {
        bodies(URLRequest(url: try context.url(path)), .plain())
    }

    static func bodies(_ request: URLRequest, _ session: URLSession) -> AnyPublisher<Data, any Error> {
        session.ocombine.dataTaskPublisher(for: request)
            .tryMap { data, response in
                guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
                return data
            }
            .eraseToAnyPublisher()
    }

    static func receive(_ context: ProbeContext, on scheduler: some Scheduler, report: @escaping () -> Void) throws {
        let received = try bodies(context, "/bytes/64KiB").receive(on: scheduler)
            .handleEvents(receiveOutput: { _ in report() })
        try collect(context, ["body": received.eraseToAnyPublisher()])
    }

    /// Subscribes to all publishers, calls `start`, writes the values of each publisher to a file of its name, and waits
    /// for their ends.
    static func collect(
        _ context: ProbeContext, _ publishers: [String: AnyPublisher<Data, any Error>],
        start: () throws -> Void = {}
    ) throws {
        let end = Signal()
        let subscriptions = try publishers.map { name, publisher in
            let sink = try SinkFile(context.file(name))
            return publisher.sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion { context.report(error: error) }
                    end.give()
                }, receiveValue: { sink.append($0) })
        }
        try withExtendedLifetime(subscriptions) {
            try start()
            end.take(publishers.count)
        }
    }

    /// Runs child tasks in any order and puts their answers back into that of the requests, as is usual.
    private static func taskGroup(_ context: ProbeContext) async throws {
        let session = URLSession.plain()
        let answers = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for (index, path) in order.enumerated() {
                let url = try context.url(path)
                group.addTask { (index, try await session.data(from: url).0) }
            }
            var answers = [Data](repeating: Data(), count: order.count)
            for try await (index, data) in group { answers[index] = data }
            return answers
        }
        try context.leave("body", answers.reduce(Data(), +))
    }
}
