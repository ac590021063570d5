// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Kills what takes too long, once, and remembers that it did.
package final class Watchdog: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var hasFired = false
        var isDisarmed = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `action` after `timeout` unless it was disarmed before.
    package func arm(after timeout: Duration, action: @escaping @Sendable () -> Void) {
        let task = Task { [weak self] in
            guard (try? await Task.sleep(for: timeout)) != nil, let self else { return }
            self.fire(action)
        }
        state.withLock { $0.task = task }
    }

    /// Ends the watch and tells whether it had to act.
    package func disarm() -> Bool {
        state.withLock { state in
            state.task?.cancel()
            state.isDisarmed = true
            return state.hasFired
        }
    }

    private func fire(_ action: @Sendable () -> Void) {
        // Under the lock: once disarmed, the number of the process may belong to another one.
        state.withLock { state in
            guard !state.isDisarmed else { return }
            state.hasFired = true
            action()
        }
    }
}
