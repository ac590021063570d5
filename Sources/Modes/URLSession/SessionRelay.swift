// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

/// Relays bodies chunk by chunk with data tasks of one session.
///
/// All tasks share the delegate's queue: if it waited for one slow reader, the others would wait as well. So each
/// reader has its own queue of chunks, which is unbounded, or bounded by a limit that holds up all of them.
final class SessionRelay: Relay, SessionOwner {
    let remark: String?
    let session: URLSession
    private let settings: FetchSettings
    private let transfers: TaskTable<ChunkLine>
    private let mostChunks: Int?

    init(_ settings: FetchSettings, atMost mostChunks: Int? = nil) {
        let transfers = TaskTable<ChunkLine>()
        session = URLSession(
            configuration: .forTrial(settings), delegate: RelayDelegate(transfers, settings),
            delegateQueue: mostChunks.map { BoundedQueue(capacity: $0) })
        (self.settings, self.transfers, self.mostChunks) = (settings, transfers, mostChunks)
        remark =
            mostChunks == nil
            ? "no back-pressure: data that a slow reader has not read waits in memory"
            : "while one reader does not take its chunks, every URLSession of the process waits"
    }

    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        try SchemeCheck.check(request.url)
        let line = ChunkLine(atMost: mostChunks)
        // An early exit must not block the delegate's queue.
        defer { line.abandon() }
        let task = session.dataTask(with: URLRequest(request, settings))
        transfers[task] = line
        task.resume()
        var received = 0
        while let chunk = try await line.next() {
            if received == 0 { try await begin(sink, with: task.response) }
            received += chunk.count
            try await sink.send(chunk)
        }
        try ResponseCheck.check(task.response, for: request, receivedByteCount: received)
    }

    private func begin(_ sink: any BodySink, with response: URLResponse?) async throws(FetchFailure) {
        guard let response = response as? HTTPURLResponse else {
            throw FetchFailure(.malformedResponse, "no HTTP response arrived")
        }
        try StatusCheck.check(response.statusCode)
        let promised = response.expectedContentLength
        try await sink.begin(byteCount: settings.acceptsGzip || promised < 0 ? nil : Int(promised))
    }

    /// Appends the chunks of all current requests to their readers' queues.
    private final class RelayDelegate: TaskDelegate<ChunkLine>, URLSessionDataDelegate, @unchecked Sendable {
        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            transfers[dataTask]?.append(data)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            transfers.remove(task)?.end(error.map { FetchFailure($0) })
        }
    }

    /// The queue of one body's chunks on their way to a reader.
    final class ChunkLine: Sendable {
        typealias Waiter = CheckedContinuation<Result<Data?, FetchFailure>, Never>

        private struct State {
            var chunks: [Data] = []
            var waiter: Waiter?
            var end: Result<Data?, FetchFailure>?
            var isAbandoned = false
        }

        private let state = Mutex(State())
        private let room: DispatchSemaphore?

        init(atMost mostChunks: Int?) {
            room = mostChunks.map { DispatchSemaphore(value: $0) }
        }

        func append(_ chunk: Data) {
            room?.wait()
            let waiter = state.withLock { state in
                if !state.isAbandoned, state.waiter == nil { state.chunks.append(chunk) }
                return (taken: state.waiter.take(), isDropped: state.isAbandoned)
            }
            // A semaphore must have its initial value when it is released: each wait needs a signal.
            if waiter.taken != nil || waiter.isDropped { room?.signal() }
            waiter.taken?.resume(returning: .success(chunk))
        }

        func end(_ failure: FetchFailure?) {
            let end = failure.map { Result<Data?, FetchFailure>.failure($0) } ?? .success(nil)
            let waiter = state.withLock { state in
                state.end = end
                return state.waiter.take()
            }
            waiter?.resume(returning: end)
        }

        /// Returns the next chunk, or `nil` at the end; blocks no thread.
        func next() async throws(FetchFailure) -> Data? {
            let result = await withCheckedContinuation { (waiter: Waiter) in
                let result = state.withLock { state -> Result<Data?, FetchFailure>? in
                    if !state.chunks.isEmpty { return .success(state.chunks.removeFirst()) }
                    if state.end == nil { state.waiter = waiter }
                    return state.end
                }
                guard let result else { return }
                if case .success(.some) = result { room?.signal() }
                waiter.resume(returning: result)
            }
            return try result.get()
        }

        /// Drops all chunks, present and future, so that no thread waits for room.
        func abandon() {
            let dropped = state.withLock { state in
                state.isAbandoned = true
                defer { state.chunks = [] }
                return state.chunks.count
            }
            for _ in 0..<dropped { room?.signal() }
        }
    }
}
