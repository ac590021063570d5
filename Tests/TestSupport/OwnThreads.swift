// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

/// Runs tests that block (they wait for a child, or measure what a thread does) on threads of their own.
///
/// Swift's task threads are as many as processors. On a machine with two, two blocking tests stop every other test,
/// even one that only waits.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// The test blocks its thread: give it one that is nobody else's.
    package static var ownThreads: Self { OwnThreads() }
}

/// A few threads that may block.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()
    private let queue = OperationQueue()

    init() {
        queue.name = "blocking tests"
        queue.maxConcurrentOperationCount = 4
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
