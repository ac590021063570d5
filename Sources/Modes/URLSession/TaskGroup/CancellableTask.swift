// SPDX-License-Identifier: Apache-2.0

import FoundationNetworking
import Synchronization
import TrialKit

/// A task of URLSession that ends when the Swift task does that waits for it.
///
/// The async functions of a session are no alternative: cancelling those deadlocks or traps on this platform.
final class CancellableTask: Sendable {
    private struct State {
        /// The task, from when it was resumed to when its handler is called.
        var task: URLSessionTask?
        var isCancelled = false
        var isEnded = false
    }

    private let state = Mutex(State())

    /// Waits for a task with a completion handler, which answers whatever happens.
    static func result(
        of makeTask: (_ answer: @escaping @Sendable (Result<FetchedBody, FetchFailure>) -> Void) -> URLSessionTask
    ) async -> Result<FetchedBody, FetchFailure> {
        let handle = CancellableTask()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = makeTask { result in
                    handle.end()
                    continuation.resume(returning: result)
                }
                handle.start(task)
            }
        } onCancel: {
            handle.cancel()
        }
    }

    private func start(_ task: URLSessionTask) {
        // Resumed before anybody can cancel it: the handler of a task that was never resumed may not be called.
        task.resume()
        state.withLock { state in
            guard !state.isEnded else { return }
            state.task = task
            if state.isCancelled { task.cancel() }
        }
    }

    /// Cancels under the lock: URLSession traps where a task is cancelled while its handler returns.
    private func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.task?.cancel()
        }
    }

    /// Called by the handler; from here on nobody cancels.
    private func end() {
        state.withLock { state in
            state.isEnded = true
            state.task = nil
        }
    }
}
