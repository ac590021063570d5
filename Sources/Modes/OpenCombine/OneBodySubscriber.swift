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
    /// Receives the body or the failure, once.
    package typealias Answer = @Sendable (Result<FetchedBody, FetchFailure>) -> Void

    private let lock = NSLock()
    private var answer: Answer?
    private var subscription: (any Subscription)?
    private var body: FetchedBody?

    package init(_ answer: @escaping Answer) {
        self.answer = answer
    }

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
        case .failure(let failure):
            ended.answer?(.failure(failure))
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
