// SPDX-License-Identifier: Apache-2.0

import Foundation
package import OpenCombine
package import TrialKit

/// A subscription that is cancelled with the Swift task that awaits its value.
///
/// Combine tells nothing after `cancel()`, so the value is `nil` then. Unchecked because OpenCombine's subscriptions are
/// not Sendable; this one is used under the lock only.
package final class CancellableSubscription<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Value?, Never>?
    private var subscription: AnyCancellable?
    private var isCancelled = false

    private init() {}

    /// Subscribes, and returns the first value that `answer` is called with.
    ///
    /// - Throws: ``FetchFailure/cancelled`` if the Swift task was cancelled before that; the request's file is removed.
    package static func value(
        of request: FetchRequest, _ subscribe: (_ answer: @escaping @Sendable (Value) -> Void) -> AnyCancellable
    ) async throws(FetchFailure) -> Value {
        try Cancellation.check()
        let awaited = CancellableSubscription()
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                awaited.lock.withLock { awaited.continuation = continuation }
                awaited.keep(subscribe { awaited.answer($0) })
            }
        } onCancel: {
            awaited.cancel()
        }
        withExtendedLifetime(awaited.take()) {}
        guard let value else { throw Cancellation.failure(.cancelled, of: request) }
        return value
    }

    /// Keeps the subscription, which ends when its last reference is released.
    private func keep(_ subscription: AnyCancellable) {
        let isLate = lock.withLock {
            if continuation != nil, !isCancelled { self.subscription = subscription }
            return isCancelled
        }
        if isLate { end(subscription) }
    }

    private func cancel() {
        lock.withLock { isCancelled = true }
        // Without one, it is cancelled as soon as there is one to keep.
        if let subscription = take() { end(subscription) }
    }

    /// Cancels first: nothing is moved to its place afterwards.
    private func end(_ subscription: AnyCancellable) {
        subscription.cancel()
        answer(nil)
    }

    private func answer(_ value: Value?) {
        let continuation = lock.withLock {
            defer { self.continuation = nil }
            return self.continuation
        }
        continuation?.resume(returning: value)
    }

    /// Takes the subscription out, to be released outside the lock.
    private func take() -> AnyCancellable? {
        lock.withLock {
            defer { subscription = nil }
            return subscription
        }
    }
}
