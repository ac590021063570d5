// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets so many do something at once, in the order in which they came; who is cancelled while waiting does not do it.
package final class SlotLimit: Sendable {
    private struct Waiter {
        var number: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var nextNumber = 0
        var waiters: [Waiter] = []
    }

    private let state: Mutex<State>

    /// Creates the slots; without a number there is no limit.
    package init(_ count: Int?) {
        precondition(count.map { $0 > 0 } ?? true, "a limit of nothing at all")
        // As many as nobody ever takes are no limit.
        state = Mutex(State(free: count ?? .max))
    }

    /// Does something in a slot of its own.
    /// - Returns: `nil` where the task was cancelled before it had one.
    package func withSlot<Value: Sendable>(_ work: () async -> Value) async -> Value? {
        guard await take() else { return nil }
        defer { giveBack() }
        return await work()
    }

    private func take() async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiters.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiters.remove(at: place)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func giveBack() {
        // Handed on, not freed and taken again: nobody overtakes who waits.
        let next = state.withLock { state -> Waiter? in
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
