// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import Testing

/// Bounds how many tests that start commands run at once.
///
/// Such a test waits for about half of its time, so a few more of them run than there are processors. A parameterized
/// test keeps its slots for all of its cases, which run one after another. Its time limit begins when it has them.
package struct Slots: SuiteTrait, TestTrait, TestScoping {
    /// How many slots there are: for four tests that start commands.
    fileprivate static let total = 8
    private static let free = AsyncSemaphore(total)
    /// Whether the test has its slots: besides the trait of its suite it may have one of its own.
    @TaskLocal private static var isHeld = false

    fileprivate let count: Int

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if Self.isHeld { return try await function() }
        let count = test.traits.lazy.compactMap { ($0 as? Self)?.count }.max() ?? count
        await Self.free.wait(for: count)
        defer { Self.free.signal(count) }
        try await Self.$isHeld.withValue(true) {
            try await test.timed {
                try await ParallelizationTrait.serialized.provideScope(for: test, testCase: nil, performing: function)
            }
        }
    }
}

extension Trait where Self == Slots {
    /// The test starts commands: it runs beside a few others that do.
    package static var startsCommands: Self { Slots(count: 2) }

    /// The commands of the test wait for seconds at a time: it runs beside more others.
    package static var startsWaitingCommands: Self { Slots(count: 1) }

    /// The commands of the test keep all processors busy: it runs beside fewer others.
    package static var startsBusyCommands: Self { Slots(count: 4) }

    /// The test depends on when its commands run: no other test of this process starts any meanwhile.
    package static var startsCommandsAlone: Self { Slots(count: Slots.total) }
}

/// A number of permits that tasks wait for without blocking a thread.
private final class AsyncSemaphore: Sendable {
    private struct State {
        var available: Int
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    init(_ available: Int) { state = Mutex(State(available: available)) }

    /// Takes permits, as soon as there are as many.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append((count, continuation)) }
            signal(0)
        }
    }

    /// Gives permits back; who needs fewest is first, so that all processors stay busy until only the others are left.
    func signal(_ count: Int) {
        let ready = state.withLock { state in
            state.available += count
            var ready: [CheckedContinuation<Void, Never>] = []
            while let index = state.waiting.indices.min(by: { state.waiting[$0].count < state.waiting[$1].count }),
                state.waiting[index].count <= state.available
            {
                state.available -= state.waiting[index].count
                ready.append(state.waiting.remove(at: index).continuation)
            }
            return ready
        }
        ready.forEach { $0.resume() }
    }
}

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
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await test.timed(function) }
    }
}

extension Test {
    /// Says how long it took itself: the library counts from when it was begun with all others (`scripts/test-results`).
    fileprivate func timed(_ body: () async throws -> Void) async throws {
        let begin = ContinuousClock.now
        defer {
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            let name = displayName.map { "\"\($0)\"" } ?? name
            FileHandle.standardError.write(Data("took \(seconds) s: \(name)\n".utf8))
        }
        try await body()
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

/// Repeats a measurement that a busy machine can disturb, until it was not disturbed.
///
/// The bounds of a test stay as strict as the instrument: the machine gets further chances, not wider bounds.
/// - Returns: The first undisturbed measurement, or the last one of all attempts.
package func undisturbed<Value>(
    attempts: Int = 6, _ measure: (_ attempt: Int) async throws -> Value, if isUndisturbed: (Value) throws -> Bool
) async throws -> Value {
    for attempt in 1..<attempts {
        let value = try await measure(attempt)
        if try isUndisturbed(value) { return value }
    }
    return try await measure(attempts)
}
