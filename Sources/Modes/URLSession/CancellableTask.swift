// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

/// A task of URLSession that is cancelled with the Swift task that awaits it.
///
/// The async functions of a session cannot be used: cancelling them deadlocks or traps on Linux.
final class CancellableTask: Sendable {
    typealias Answer = @Sendable (Result<FetchedBody, FetchFailure>) -> Void

    typealias Cancel = @Sendable (URLSessionTask) -> Void

    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let cancelTask: Cancel

    private init(_ cancelTask: @escaping Cancel) { self.cancelTask = cancelTask }

    /// Starts a task and returns its result; the task has to call `answer` in every case.
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
        // Resumed before it can be cancelled: the handler of a task that was never resumed may not be called.
        task.resume()
        state.withLock { state in
            guard !state.isEnded else { return }
            state.task = task
            if state.isCancelled { cancelTask(task) }
        }
    }

    /// Cancels under the lock: URLSession traps if a task is cancelled while its handler returns.
    private func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let task = state.task { cancelTask(task) }
        }
    }

    /// Called by the handler, after which the task is not cancelled.
    private func end() {
        state.withLock { state in
            state.isEnded = true
            state.task = nil
        }
    }
}

/// The entry of a session's delegate for each current task.
final class TaskTable<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Int: Entry]>([:])

    subscript(task: URLSessionTask) -> Entry? {
        get { entries.withLock { $0[task.taskIdentifier] } }
        set { entries.withLock { $0[task.taskIdentifier] = newValue } }
    }

    func remove(_ task: URLSessionTask) -> Entry? {
        entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
}

/// A session's delegate with a table of its tasks, guarded redirects and the consumer's delay.
///
/// Unchecked because a class with subclasses cannot be checked: it is immutable, as its subclasses are. It conforms to
/// no protocol, because methods that a subclass adds to a protocol of its superclass are not called.
class TaskDelegate<Entry: Sendable>: NSObject, @unchecked Sendable {
    let transfers: TaskTable<Entry>
    let delay: ConsumerDelay
    private let redirects: RedirectGuard

    init(_ transfers: TaskTable<Entry>, _ settings: FetchSettings) {
        self.transfers = transfers
        delay = ConsumerDelay(settings)
        redirects = RedirectGuard(settings)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(redirects.allowed(request)) }
}
