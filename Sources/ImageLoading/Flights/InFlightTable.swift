// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A table that shares one piece of work among all who request its key at the same time.
///
/// A caller leaves when its task is cancelled. The work is cancelled with the last caller if `cancelsAbandoned` is
/// true.
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

    package init(cancelsAbandoned: Bool) { self.cancelsAbandoned = cancelsAbandoned }

    /// The number of running pieces of work, without those that were cancelled.
    package var count: Int { state.withLock { $0.flights.count } }

    package var waiterCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Returns the result of the work for a key, starting it if necessary, or `nil` if the calling task was cancelled.
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
            // It cannot land before it is in the table: landing takes the lock that is held here.
            state.flights[key] = Flight(number: state.nextNumber, task: start(state.nextNumber))
        }
        state.flights[key]?.waiters[asker] = continuation
    }

    /// Resumes all waiters; a cancelled flight is no longer in the table and has none.
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
