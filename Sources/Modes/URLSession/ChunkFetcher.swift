// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

protocol ChunkConsumer: Sendable {
    /// Receives the response's head; called before each chunk.
    mutating func begin(_ head: @autoclosure () -> BodyHead) throws(FetchFailure)

    mutating func take(_ chunk: Data) throws(FetchFailure)

    func finished() -> FetchedBody
}

extension ChunkConsumer {
    /// Does nothing: a body in memory has no part to continue.
    mutating func begin(_ head: @autoclosure () -> BodyHead) {}
}

extension StreamedBody: ChunkConsumer {
    mutating func take(_ chunk: Data) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
        try chunk.withUnsafeBytes { bytes in
            Result { () throws(FetchFailure) in try take(bytes) }
        }.get()
    }
}

final class ChunkFetcher<Consumer: ChunkConsumer>: Fetcher, SessionOwner {
    typealias MakeConsumer = @Sendable (FetchRequest) throws(FetchFailure) -> Consumer

    let session: URLSession
    private let settings: FetchSettings
    private let transfers: TaskTable<ChunkTransfer<Consumer>>
    private let queue: BoundedQueue?
    private let makeConsumer: MakeConsumer

    /// Creates the session; `queue` is the delegate's, or `nil` for one made by URLSession.
    init(_ settings: FetchSettings, queue: BoundedQueue? = nil, consumer: @escaping MakeConsumer) {
        let transfers = TaskTable<ChunkTransfer<Consumer>>()
        session = URLSession(
            configuration: .forTrial(settings),
            delegate: ChunkDelegate(transfers, settings), delegateQueue: queue)
        (self.settings, self.transfers, self.queue) = (settings, transfers, queue)
        makeConsumer = consumer
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        try Cancellation.check()
        let consumer = try makeConsumer(request)
        let cancel: CancellableTask.Cancel = { [self] task in self.cancel(task) }
        let result = await CancellableTask.result(of: request, cancelling: cancel) { answer in
            let task = session.dataTask(with: URLRequest(request, settings))
            transfers[task] = ChunkTransfer(request, consumer, answering: answer)
            return task
        }
        return try result.get()
    }

    private func cancel(_ task: URLSessionTask) {
        transfers[task]?.cancel()
        if let queue { queue.withoutLimit { task.cancel() } } else { task.cancel() }
    }
}

private final class ChunkDelegate<Consumer: ChunkConsumer>: TaskDelegate<ChunkTransfer<Consumer>>,
    URLSessionDataDelegate, @unchecked Sendable
{
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfers[dataTask], transfer.isWanting else { return }
        delay.wait()
        transfer.take(data, of: dataTask)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfers.remove(task)?.end(task.response, error)
    }
}

final class ChunkTransfer<Consumer: ChunkConsumer>: Sendable {
    private struct State {
        /// `nil` once the transfer has ended.
        var consumer: Consumer?
        var byteCount = 0
        var failure: FetchFailure?
    }

    private let request: FetchRequest
    private let answer: CancellableTask.Answer
    private let state: Mutex<State>

    init(_ request: FetchRequest, _ consumer: Consumer, answering answer: @escaping CancellableTask.Answer) {
        (self.request, self.answer) = (request, answer)
        state = Mutex(State(consumer: consumer))
    }

    var isWanting: Bool { state.withLock { $0.failure == nil } }

    /// Drops all further chunks, any number of which may be queued.
    func cancel() { state.withLock { $0.failure = $0.failure ?? .cancelled } }

    /// Takes the next chunk, unless the transfer has failed.
    func take(_ data: Data, of task: URLSessionTask) {
        state.withLock { state in
            state.byteCount += data.count
            guard state.failure == nil else { return }
            do throws(FetchFailure) {
                try state.consumer?.begin(BodyHead(task.response))
                try state.consumer?.take(data)
            } catch {
                state.failure = error
            }
        }
    }

    func end(_ response: URLResponse?, _ error: (any Error)?) {
        let result = state.withLock { state in
            // Releases the body and closes its file.
            defer { state.consumer = nil }
            return Self.result(of: state, for: request, response, error)
        }
        answer(result)
    }

    private static func result(
        of state: State, for request: FetchRequest, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<FetchedBody, FetchFailure> {
        if let failure = state.failure { return .failure(failure) }
        if let error { return .failure(FetchFailure(error)) }
        guard let consumer = state.consumer else {
            return .failure(FetchFailure(.other, "the task ended twice"))
        }
        return Result { () throws(FetchFailure) in
            if ResponseCheck.isUnchanged(response, for: request) { return .unchanged }
            try ResponseCheck.check(response, for: request, receivedByteCount: state.byteCount)
            guard request.method == .get else { return try BodyHead(response).body(of: request) }
            var body = consumer.finished()
            body.entityTag = ResponseCheck.entityTag(response, for: request)
            return body
        }
    }
}
