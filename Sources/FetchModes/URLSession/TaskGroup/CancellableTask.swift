// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import FoundationNetworking
import Synchronization

/// A task of URLSession that ends when the Swift task does that waits for it.
///
/// The async functions of a session are no alternative: cancelling those deadlocks or traps on this platform.
final class CancellableTask: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Waits for a task with a completion handler, which answers the continuation whatever happens.
    static func result(
        of makeTask: (_ answer: @escaping @Sendable (Result<FetchedBody, FetchFailure>) -> Void) -> URLSessionTask
    ) async -> Result<FetchedBody, FetchFailure> {
        let handle = CancellableTask()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                handle.start(makeTask { continuation.resume(returning: $0) })
            }
        } onCancel: {
            handle.cancel()
        }
    }

    private func start(_ task: URLSessionTask) {
        // Resumed before anybody can cancel it: the handler of a task that was never resumed may not be called.
        task.resume()
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        // Outside of the lock: it waits for the queue that all tasks share.
        task?.cancel()
    }
}
