// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Limits the number of children that run at a time to that of processors.
actor ChildGate {
    static let shared = ChildGate(limit: max(1, ProcessInfo.processInfo.activeProcessorCount))

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) { free = limit }

    /// Runs `body` as soon as there is room.
    nonisolated func pass<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        await enter()
        let value = await body()
        await leave()
        return value
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
