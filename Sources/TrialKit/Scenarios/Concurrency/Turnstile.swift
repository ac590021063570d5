// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets so many in at once and no more, in the order in which they came; knows how many there were at most.
final class Turnstile: Sendable {
    private struct State {
        var inside = 0
        var most = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The first of those who still wait.
        var next = 0
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// - Parameter waiting: how many may have to wait at most, so that no room is made for them later.
    init(capacity: Int, waiting: Int) {
        self.capacity = capacity
        var initial = State()
        initial.waiting.reserveCapacity(waiting)
        state = Mutex(initial)
    }

    /// How many were inside at once at most.
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

    /// Gives the place to whoever has waited longest.
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
