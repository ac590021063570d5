// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A child that stays: it does one piece of work after another, each told by a line and answered by a line.
///
/// Starting a program with many libraries takes longer than many a piece of work. What is bounded of a child is bounded
/// for each piece here: its time, its answer, its complaints. It is gone when the last reference to this is.
package final class ResidentChild: Sendable {
    private struct State {
        /// Gets the end of the piece of work that goes on.
        var worker: CheckedContinuation<ChildEnd, Never>?
        var start = 0
        /// How the child itself ended, or `nil` while it is there.
        var end: ChildEnd?

        /// Ends the piece of work that goes on.
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
    /// The thread that waits for the child holds this, and not the child.
    private let shared = Shared()

    /// Starts a child that is described by `launch`: its input, output and complaints are what belongs to its work.
    ///
    /// - Parameter answerLimit: how many bytes an answer may have; a child that writes more is ended.
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
        // On this thread it would wait for work that nobody could give it.
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
        // A killed child takes a millisecond: whoever looks next must not find it.
        while !hasEnded { usleep(200) }
    }

    /// Whether the child is gone, so that it does no work any more.
    package var hasEnded: Bool { shared.state.withLock { $0.end != nil } }

    /// Has the child do a piece of work, one at a time; kills it where the task is cancelled.
    ///
    /// - Parameter line: says what to do, with its end.
    /// - Returns: the end of the work as if it had been a process of its own: with status 0 and the answer, or with how
    ///   the child ended over it.
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
