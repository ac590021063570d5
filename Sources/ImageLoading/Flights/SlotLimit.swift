// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets so many do something at once, in the order in which they came; who is cancelled while waiting does not do it.
package final class SlotLimit: Sendable {
    /// A turn, or several that one who does much takes at once; given back when nobody holds it any more.
    package final class Slot: Sendable {
        private let limit: SlotLimit
        private let count: Int

        fileprivate init(of limit: SlotLimit, _ count: Int) {
            self.limit = limit
            self.count = count
        }

        deinit {
            limit.giveBack(count)
        }
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

        /// Takes those out whose turn it is: nobody overtakes who waits, also where there were slots enough for him.
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

    /// Creates the slots; without a number there is no limit.
    package init(_ count: Int?) {
        precondition(count.map { $0 > 0 } ?? true, "a limit of nothing at all")
        // As many as nobody ever takes are no limit.
        total = count ?? .max
        state = Mutex(State(free: total))
    }

    /// Does something in a slot of its own.
    /// - Returns: `nil` where the task was cancelled before it had one.
    package func withSlot<Value: Sendable>(_ work: () async -> Value) async -> Value? {
        await withSlots(1, work)
    }

    /// Does something in as many slots; in all that there are, where it takes more than those.
    /// - Returns: `nil` where the task was cancelled before it had them.
    package func withSlots<Value: Sendable>(_ count: Int, _ work: () async -> Value) async -> Value? {
        guard let slot = await slot(count) else { return nil }
        defer { withExtendedLifetime(slot) {} }
        return await work()
    }

    /// Waits for a slot, which is whose who holds the object; several may.
    /// - Returns: `nil` where the task was cancelled before it had one.
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
                // Who came behind one that waited for many slots may find few enough.
                return (state.waiters.remove(at: place), state.admitted())
            }
            waiter?.continuation.resume(returning: false)
            for waiter in admitted { waiter.continuation.resume(returning: true) }
        }
    }

    private func giveBack(_ count: Int) {
        // Handed on, not freed and taken again: nobody overtakes who waits.
        let admitted = state.withLock { state in
            state.free += count
            return state.admitted()
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }
}
