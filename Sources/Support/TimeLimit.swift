// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Synchronization

/// A child's time limit, which stands still while the harness keeps the child waiting.
package final class TimeLimit: Sendable {
    private struct State {
        var watchdog: Watchdog?
        /// In nanoseconds.
        var left: Int
        var since = 0
        var hasFired = false
    }

    private let state: Mutex<State>
    private let action: @Sendable () -> Void

    /// Begins at once; `action` is called when the child has used up its time.
    package init(_ limit: Duration, action: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = limit.components
        state = Mutex(State(left: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
        self.action = action
        resume()
    }

    /// Stands still: what follows is the harness's own time.
    package func pause() {
        state.withLock { state in
            guard let watchdog = state.watchdog else { return }
            state.hasFired = watchdog.disarm() || state.hasFired
            state.watchdog = nil
            state.left -= MonotonicClock.now() - state.since
        }
    }

    /// Goes on with what is left.
    package func resume() {
        state.withLock { state in
            guard state.watchdog == nil, !state.hasFired else { return }
            let watchdog = Watchdog()
            watchdog.arm(after: .nanoseconds(max(0, state.left)), action: action)
            state.watchdog = watchdog
            state.since = MonotonicClock.now()
        }
    }

    /// Ends the watch, and tells whether the time was used up.
    package func end() -> Bool {
        pause()
        return state.withLock { $0.hasFired }
    }
}
