// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import TrialKit

/// A group of subscribers to one publisher.
enum Audience {
    /// A list, its header and a detail view.
    static let count = 3

    /// Returns the body once all subscribers have it, or the first failure; calls `start` when all are subscribed.
    static func body(
        of publisher: some Publisher<FetchedBody, FetchFailure>, start: () -> Void
    ) async -> Result<FetchedBody, FetchFailure> {
        await withCheckedContinuation { continuation in
            let answers = Answers { continuation.resume(returning: $0) }
            for _ in 0..<count { publisher.subscribe(OneBodySubscriber { answers.add($0) }) }
            start()
        }
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
