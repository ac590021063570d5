// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A child that does one piece of work after another, each requested by a line and answered by a line.
///
/// It saves the start of a program with many libraries. Time, answer and standard error are limited for each piece of
/// work. The child ends when the last reference to this object is released.
package final class ResidentChild: Sendable {
    /// The longest wait for the end of a child that nobody uses any more.
    private static let patience = 1_000_000_000

    private struct State {
        /// Receives the end of the current piece of work.
        var worker: CheckedContinuation<ChildEnd, Never>?
        var start = 0
        /// The end of the child itself, or `nil` while it runs.
        var end: ChildEnd?

        mutating func finish(_ end: ChildEnd) {
            var end = end
            (end.startNanoseconds, end.endNanoseconds) = (start, max(end.endNanoseconds, start + 1))
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
        let listener = ChildListener(
            onLine: { [shared] line in
                let now = MonotonicClock.now()
                shared.state.withLock { state in
                    state.finish(
                        ChildEnd(
                            status: .exited(0), startNanoseconds: now, endNanoseconds: now,
                            output: Array(line.text.utf8), complaints: line.complaints))
                }
            },
            onEnd: { [shared] end in
                shared.state.withLock { state in
                    state.end = end
                    state.finish(end)
                }
            })
        // On this thread, `body` would wait forever for work.
        let refusal = { [shared] in
            let error = MemProbeError(.exhausted, source: "a thread", errno: EAGAIN)
            let now = MonotonicClock.now()
            shared.state.withLock {
                $0.end = ChildEnd(status: .notStarted(error), startNanoseconds: now, endNanoseconds: now)
            }
        }
        BareThread.run(otherwise: refusal) { [launch, control] in ChildLoop.run(launch, control, listener) }
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

    /// Makes the child do a piece of work, one at a time; kills it if the task is cancelled.
    ///
    /// - Parameter line: the request, with its newline.
    /// - Returns: the end of the work as if it were a process of its own: status 0 with the answer, or the end of the
    ///   child.
    package func work(_ line: String) async -> ChildEnd {
        await withTaskCancellationHandler {
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
    }
}
