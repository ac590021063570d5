// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TrialKit

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

    /// Appends a chunk; blocks the thread until there is room.
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

    /// Ends the queue, with a failure if there is one.
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
