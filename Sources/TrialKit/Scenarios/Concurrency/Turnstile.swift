// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An asynchronous semaphore, first come, first served, that records the largest number of holders.
final class Turnstile: Sendable {
    private struct State {
        var inside = 0
        var most = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The index of the first waiter.
        var next = 0
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// - Parameter waiting: The largest number of waiters, for which room is reserved now.
    init(capacity: Int, waiting: Int) {
        self.capacity = capacity
        var initial = State()
        initial.waiting.reserveCapacity(waiting)
        state = Mutex(initial)
    }

    /// The largest number of concurrent holders.
    var most: Int { state.withLock { $0.most } }

    func forget() {
        state.withLock { $0.most = 0 }
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isInside = state.withLock { state in
                guard state.inside < capacity else {
                    state.waiting.append(continuation)
                    return false
                }
                state.inside += 1
                state.most = max(state.most, state.inside)
                return true
            }
            if isInside { continuation.resume() }
        }
    }

    /// Passes the place to the longest waiter.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.next < state.waiting.count else {
                state.inside -= 1
                return nil
            }
            defer { state.next += 1 }
            return state.waiting[state.next]
        }
        next?.resume()
    }
}
