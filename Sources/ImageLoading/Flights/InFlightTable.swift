// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Does one piece of work for a key, however many ask for it at the same time.
///
/// Each asker leaves on its own when its task is cancelled; the work is cancelled when the last one has left, in a table
/// that does so.
package final class InFlightTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        var number: Int
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var nextNumber = 0
    }

    private let cancelsAbandoned: Bool
    private let state = Mutex(State())

    /// Creates an empty table.
    /// - Parameter cancelsAbandoned: Whether work is cancelled that nobody waits for any more.
    package init(cancelsAbandoned: Bool) {
        self.cancelsAbandoned = cancelsAbandoned
    }

    /// How many pieces of work go on now, without those that were cancelled.
    package var count: Int { state.withLock { $0.flights.count } }

    /// What the work for a key yields, which is begun unless it goes on already.
    /// - Returns: `nil` where the asking task was cancelled.
    package func value(for key: Key, work: @escaping @Sendable () async -> Value) async -> Value? {
        let asker = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn = state.withLock { state in
                    if Task.isCancelled { return false }
                    Self.join(&state, key, asker, continuation) { number in
                        Task { [self] in land(key, number, await work()) }
                    }
                    return true
                }
                if !isIn { continuation.resume(returning: nil) }
            }
        } onCancel: {
            leave(key, asker)
        }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
    }

    private static func join(
        _ state: inout State, _ key: Key, _ asker: Int, _ continuation: CheckedContinuation<Value?, Never>,
        start: (Int) -> Task<Void, Never>
    ) {
        if state.flights[key] == nil {
            state.nextNumber += 1
            // It cannot land before it stands in the table: landing takes the lock that is held here.
            state.flights[key] = Flight(number: state.nextNumber, task: start(state.nextNumber))
        }
        state.flights[key]?.waiters[asker] = continuation
    }

    /// Answers all who wait; a flight that was cancelled stands in no table, and nobody waits for it.
    private func land(_ key: Key, _ number: Int, _ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
            guard state.flights[key]?.number == number else { return [] }
            return state.flights.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    private func leave(_ key: Key, _ asker: Int) {
        let (waiter, task) = state.withLock { state -> (CheckedContinuation<Value?, Never>?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: asker) else { return (nil, nil) }
            guard cancelsAbandoned, state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        waiter?.resume(returning: nil)
        task?.cancel()
    }
}
