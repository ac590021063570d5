// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A semaphore in order of arrival, whose waiters can be cancelled.
package final class SlotLimit: Sendable {
    /// One or more slots, freed when the last reference is released.
    package final class Slot: Sendable {
        private let limit: SlotLimit
        private let count: Int

        fileprivate init(of limit: SlotLimit, _ count: Int) {
            (self.limit, self.count) = (limit, count)
        }

        deinit { limit.giveBack(count) }
    }

    private struct Waiter {
        var number: Int
        var count: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var nextNumber = 0
        var waiters: [Waiter] = []

        /// Removes the waiters whose turn it is; none overtakes an earlier one, even if enough slots are free for it.
        mutating func admitted() -> [Waiter] {
            var admitted: [Waiter] = []
            while let first = waiters.first, first.count <= free {
                free -= first.count
                admitted.append(waiters.removeFirst())
            }
            return admitted
        }
    }

    private let total: Int
    private let state: Mutex<State>

    package init(_ count: Int?) {
        precondition(count.map { $0 > 0 } ?? true, "a limit of nothing at all")
        total = count ?? .max
        state = Mutex(State(free: total))
    }

    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Runs `work` in a slot; returns `nil` if the task was cancelled before it had one.
    package func withSlot<Value: Sendable>(_ work: () async -> Value) async -> Value? {
        await withSlots(1, work)
    }

    /// Runs `work` in so many slots, or in all if there are fewer; returns `nil` if the task was cancelled before.
    package func withSlots<Value: Sendable>(_ count: Int, _ work: () async -> Value) async -> Value? {
        guard let slot = await slot(count) else { return nil }
        defer { withExtendedLifetime(slot) {} }
        return await work()
    }

    /// Waits for slots, which are freed with the last reference to the object; returns `nil` if the task was cancelled.
    package func slot(_ count: Int = 1) async -> Slot? {
        let count = min(count, total)
        return await take(count) ? Slot(of: self, count) : nil
    }

    private func take(_ count: Int) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard !state.waiters.isEmpty || state.free < count else {
                        state.free -= count
                        return true
                    }
                    state.waiters.append(Waiter(number: number, count: count, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let (waiter, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
                guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return (nil, []) }
                // Waiters behind one that needed many slots may fit now.
                return (state.waiters.remove(at: place), state.admitted())
            }
            waiter?.continuation.resume(returning: false)
            for waiter in admitted { waiter.continuation.resume(returning: true) }
        }
    }

    private func giveBack(_ count: Int) {
        // Passed to waiters directly, so that newcomers cannot overtake them.
        let admitted = state.withLock { state in
            state.free += count
            return state.admitted()
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }
}
