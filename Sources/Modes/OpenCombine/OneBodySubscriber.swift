// SPDX-License-Identifier: Apache-2.0

import Foundation
package import OpenCombine
package import TrialKit

/// A subscriber that requests one body and passes it to a closure.
///
/// Unchecked because OpenCombine's subscriptions are not Sendable; this one is used under the lock only.
package final class OneBodySubscriber: Subscriber, Cancellable, @unchecked Sendable {
    package typealias Input = FetchedBody
    package typealias Failure = FetchFailure
    package typealias Answer = @Sendable (Result<FetchedBody, FetchFailure>) -> Void

    private let lock = NSLock()
    private var answer: Answer?
    private var subscription: (any Subscription)?
    private var body: FetchedBody?

    package init(_ answer: @escaping Answer) { self.answer = answer }

    package func receive(subscription: any Subscription) {
        let isFirst = lock.withLock {
            guard self.subscription == nil, answer != nil else { return false }
            self.subscription = subscription
            return true
        }
        if isFirst { subscription.request(.max(1)) } else { subscription.cancel() }
    }

    package func receive(_ input: FetchedBody) -> Subscribers.Demand {
        lock.withLock { body = input }
        return .none
    }

    package func receive(completion: Subscribers.Completion<FetchFailure>) {
        let ended = end()
        switch completion {
        case .finished:
            let nothing = FetchFailure(.other, "the publisher finished without a body")
            ended.answer?(ended.body.map { .success($0) } ?? .failure(nothing))
        case .failure(let failure): ended.answer?(.failure(failure))
        }
    }

    package func cancel() {
        let ended = end()
        ended.subscription?.cancel()
        ended.answer?(.failure(FetchFailure(.other, "the subscription was cancelled")))
    }

    /// Releases everything, and returns it for use outside the lock.
    private func end() -> (answer: Answer?, subscription: (any Subscription)?, body: FetchedBody?) {
        lock.withLock {
            defer { (answer, subscription, body) = (nil, nil, nil) }
            return (answer, subscription, body)
        }
    }
}

extension Publisher<FetchedBody, FetchFailure> {
    /// Returns the one body of this publisher, whose subscription is cancelled with the task that awaits it.
    func oneBody(of request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let result = try await CancellableSubscription.value(of: request) { answer in
            let subscriber = OneBodySubscriber(answer)
            subscribe(subscriber)
            return AnyCancellable(subscriber)
        }
        return try result.mapError { Cancellation.failure($0, of: request) }.get()
    }
}

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

enum Audience {
    /// A list, its header and a detail view.
    static let count = 3

    /// Returns the body once all subscribers have it, or throws the first failure; cancelling the task cancels them all.
    /// - Parameter start: Called when all are subscribed; returns a connection that is held until then, if there is one.
    static func body(
        of publisher: some Publisher<FetchedBody, FetchFailure>, for request: FetchRequest,
        start: () -> (any Cancellable)?
    ) async throws(FetchFailure) -> FetchedBody {
        try await CancellableSubscription.value(of: request) { answer in
            let answers = Answers(answer)
            let subscribers = (0..<count).map { _ in OneBodySubscriber { answers.add($0) } }
            for subscriber in subscribers { publisher.subscribe(subscriber) }
            let connection = start()
            return AnyCancellable {
                for subscriber in subscribers { subscriber.cancel() }
                connection?.cancel()
            }
        }.mapError { Cancellation.failure($0, of: request) }.get()
    }

    private final class Answers: Sendable {
        private let lock = NSLock()
        private nonisolated(unsafe) var results: [Result<FetchedBody, FetchFailure>] = []
        private let whole: @Sendable (Result<FetchedBody, FetchFailure>) -> Void

        init(_ whole: @escaping @Sendable (Result<FetchedBody, FetchFailure>) -> Void) {
            self.whole = whole
        }

        func add(_ result: Result<FetchedBody, FetchFailure>) {
            let results = lock.withLock {
                self.results.append(result)
                return self.results
            }
            guard results.count == count else { return }
            // All of the bodies are held until the last subscriber has its own.
            whole(results.first { if case .failure = $0 { true } else { false } } ?? result)
        }
    }
}
