// SPDX-License-Identifier: Apache-2.0

import Libc
import Synchronization

/// A child that does one piece of work after another, each requested by a line and answered by a line.
///
/// It saves the start of a program with many libraries. Time, answer and standard error are limited for each piece of
/// work. The child ends when the last reference to this object is released.
package final class ResidentChild: Sendable {
    /// The longest wait for the end of a child that nobody uses any more.
    private static let patience = 1_000_000_000

    private struct State {
        /// Receives the end of the current piece of work.
        var worker: CheckedContinuation<ProcessEnd, Never>?
        var start = 0
        /// The end of the child itself, or `nil` while it runs.
        var end: ProcessEnd?

        mutating func finish(_ end: ProcessEnd, at nanoseconds: Int) {
            var end = end
            (end.spawnedNanoseconds, end.nanoseconds) = (start, max(nanoseconds - start, 1))
            worker.take()?.resume(returning: end)
        }
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let control = ChildControl()
    /// Held by the thread that waits for the child, so that it does not keep this object alive.
    private let shared = Shared()

    /// Starts a child as `launch` describes it, but for its input and output; `answerLimit` is in bytes.
    package init(_ launch: ChildLaunch, answerLimit: Int) {
        var launch = launch
        launch.input = .answers
        launch.output = .lines(limit: answerLimit)
        launch.isResident = true
        let listener = ChildLaunch.Listener(
            onLine: { [shared] line in
                var end = ProcessEnd(ending: .exited(0), output: Array(line.text.utf8))
                end.complaints = line.complaints
                shared.state.withLock { [end] in $0.finish(end, at: MonotonicClock.now()) }
            },
            onEnd: { [shared] end in
                shared.state.withLock { state in
                    state.end = end
                    state.finish(end, at: (end.spawnedNanoseconds ?? 0) + end.nanoseconds)
                }
            })
        // On this thread, `body` would wait forever for work.
        let refusal = { [shared] in
            let error = MemProbeError(.exhausted, source: "a thread", errno: EAGAIN)
            shared.state.withLock { $0.end = ProcessEnd(ending: Ending(notStarted: error)) }
        }
        DetachedWork.run(otherwise: refusal) { [launch, control] in ChildLoop.run(launch, control, listener) }
    }

    deinit {
        control.cancel()
        // Killing takes about a millisecond, and then the process is gone. Where its keeper does not react, which takes
        // up to 12 s, the waiting thread goes on alone.
        var pause: UInt32 = 200
        let patience = MonotonicClock.now() + Self.patience
        while !hasEnded, MonotonicClock.now() < patience {
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    package var hasEnded: Bool { shared.state.withLock { $0.end != nil } }

    /// Makes the child do a piece of work, one at a time.
    ///
    /// - Parameter line: the request, with its newline.
    /// - Returns: the end of the work as if it were a process of its own: status 0 with the answer, or the end of the
    ///   child.
    /// - Throws: `CancellationError` if the task was cancelled, which kills the child.
    package func work(_ line: String) async throws(CancellationError) -> ProcessEnd {
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let start = MonotonicClock.now()
                let end = shared.state.withLock { state in
                    precondition(state.worker == nil, "a child does one piece of work at a time")
                    state.start = start
                    if state.end == nil { state.worker = continuation }
                    return state.end
                }
                if let end { return continuation.resume(returning: end) }
                control.answer(Array(line.utf8))
            }
        } onCancel: {
            control.cancel()
        }
        return try end.unlessCancelled()
    }
}
