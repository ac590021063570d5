// SPDX-License-Identifier: Apache-2.0

import FoundationNetworking
import Synchronization
import TrialKit

/// A task of URLSession that ends when the Swift task does that waits for it.
///
/// The async functions of a session are no alternative: cancelling those deadlocks or traps on this platform.
final class CancellableTask: Sendable {
    /// Is told the end of the task, once.
    typealias Answer = @Sendable (Result<FetchedBody, FetchFailure>) -> Void

    /// Cancels a task of URLSession, and does what has to be done around that.
    typealias Cancel = @Sendable (URLSessionTask) -> Void

    private struct State {
        /// The task, from when it was resumed to when its handler is called.
        var task: URLSessionTask?
        var isCancelled = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let cancelTask: Cancel

    private init(_ cancelTask: @escaping Cancel) {
        self.cancelTask = cancelTask
    }

    /// Waits for a task that answers whatever happens, from its completion handler or its delegate.
    static func result(
        of request: FetchRequest, cancelling cancelTask: @escaping Cancel = { $0.cancel() },
        _ makeTask: (_ answer: @escaping Answer) -> URLSessionTask
    ) async -> Result<FetchedBody, FetchFailure> {
        guard !Task.isCancelled else { return .failure(Cancellation.failure(.cancelled, of: request)) }
        let handle = CancellableTask(cancelTask)
        let result = await withTaskCancellationHandler {
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
        return result.mapError { Cancellation.failure($0, of: request) }
    }

    private func start(_ task: URLSessionTask) {
        // Resumed before anybody can cancel it: the handler of a task that was never resumed may not be called.
        task.resume()
        state.withLock { state in
            guard !state.isEnded else { return }
            state.task = task
            if state.isCancelled { cancelTask(task) }
        }
    }

    /// Cancels under the lock: URLSession traps where a task is cancelled while its handler returns.
    private func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let task = state.task { cancelTask(task) }
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
