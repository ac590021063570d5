// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking
import Synchronization

/// What becomes of a body that a delegate gets chunk by chunk.
protocol ChunkConsumer: Sendable {
    /// Takes the next chunk.
    mutating func take(_ chunk: Data) throws(FetchFailure)

    /// What the fetch leaves behind once every chunk was taken.
    func finished() -> FetchedBody
}

extension StreamedBody: ChunkConsumer {
    mutating func take(_ chunk: Data) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
        try chunk.withUnsafeBytes { bytes in
            Result { () throws(FetchFailure) in try take(bytes) }
        }.get()
    }
}

/// Fetches with a data task whose delegate gets the body chunk by chunk.
final class ChunkFetcher<Consumer: ChunkConsumer>: Fetcher {
    /// Makes what takes the chunks of one body.
    typealias MakeConsumer = @Sendable (FetchRequest) throws(FetchFailure) -> Consumer

    private let session: URLSession
    private let delegate: ChunkDelegate<Consumer>
    private let makeConsumer: MakeConsumer

    /// Makes the one session of a trial.
    /// - Parameters:
    ///   - queue: Where the delegate is called, or `nil` for the queue that URLSession makes.
    ///   - beforeChunk: Called before each chunk is taken; how long it takes is how slow the consumer is.
    init(
        _ settings: FetchSettings, queue: OperationQueue? = nil, beforeChunk: (@Sendable () -> Void)? = nil,
        consumer: @escaping MakeConsumer
    ) {
        delegate = ChunkDelegate(beforeChunk: beforeChunk)
        session = URLSession(configuration: .forTrial(settings), delegate: delegate, delegateQueue: queue)
        makeConsumer = consumer
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try delegate.begin(request, makeConsumer)
        let result = await withCheckedContinuation { continuation in
            delegate.answer(to: continuation)
            session.dataTask(with: URLRequest(request)).resume()
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }
}

/// Receives the chunks of one request at a time.
private final class ChunkDelegate<Consumer: ChunkConsumer>: NSObject, URLSessionDataDelegate {
    typealias Continuation = CheckedContinuation<Result<FetchedBody, FetchFailure>, Never>

    private struct State {
        var request: FetchRequest?
        var consumer: Consumer?
        var continuation: Continuation?
        var byteCount = 0
        var failure: FetchFailure?
    }

    private let beforeChunk: (@Sendable () -> Void)?
    private let state = Mutex(State())

    init(beforeChunk: (@Sendable () -> Void)?) {
        self.beforeChunk = beforeChunk
    }

    func begin(
        _ request: FetchRequest, _ makeConsumer: ChunkFetcher<Consumer>.MakeConsumer
    ) throws(FetchFailure) {
        try state.withLock { state throws(FetchFailure) in
            state = State(request: request, consumer: try makeConsumer(request))
        }
    }

    func answer(to continuation: Continuation) {
        state.withLock { $0.continuation = continuation }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        beforeChunk?()
        state.withLock { state in
            state.byteCount += data.count
            guard state.failure == nil else { return }
            do throws(FetchFailure) {
                try state.consumer?.take(data)
            } catch {
                state.failure = error
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, result) = state.withLock { state in
            let result = Self.result(of: state, response: task.response, error: error)
            let continuation = state.continuation
            // Lets go of the body, and closes its file.
            state = State()
            return (continuation, result)
        }
        continuation?.resume(returning: result)
    }

    private static func result(
        of state: State, response: URLResponse?, error: (any Error)?
    ) -> Result<FetchedBody, FetchFailure> {
        if let failure = state.failure { return .failure(failure) }
        if let error { return .failure(FetchFailure(error)) }
        guard let request = state.request, let consumer = state.consumer else {
            return .failure(FetchFailure(.other, "no request was begun"))
        }
        return Result { () throws(FetchFailure) in
            try ResponseCheck.check(response, for: request, receivedByteCount: state.byteCount)
            return request.method == .get ? consumer.finished() : .nothing
        }
    }
}
