// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Synchronization

/// Reads the process each time that so many requests have been answered, on whichever thread answered the last of them.
final class RequestMeter: Sendable {
    private struct State: ~Copyable {
        var probe: ProcessProbe
        var readings: RepeatReadings
        var isRunning = false
        var answered = 0
        var failed = false

        init(capacity: Int) throws {
            probe = try ProcessProbe(.current)
            readings = RepeatReadings(capacity: capacity)
        }
    }

    /// After how many requests it reads again.
    let interval: Int

    private let first: Int
    private let capacity: Int
    private let state: Mutex<State>

    /// Makes room for every reading.
    /// - Parameters:
    ///   - count: how many requests there will be.
    ///   - first: after how many of them it begins.
    ///   - most: how often it reads at most.
    init(of count: Int, after first: Int, most: Int) throws {
        self.first = first
        interval = max(1, (count - first) / most)
        capacity = (count - first) / interval
        state = Mutex(try State(capacity: capacity))
    }

    /// Counts from now on.
    func start() {
        state.withLock { $0.isRunning = true }
    }

    func count() {
        state.withLock { state in
            guard state.isRunning, state.answered < first + capacity * interval else { return }
            state.answered += 1
            guard state.answered > first, (state.answered - first).isMultiple(of: interval) else { return }
            do { try state.readings.append(&state.probe) } catch { state.failed = true }
        }
    }

    /// What was read, by name; empty where a reading failed, because what is left would belong to other requests.
    var series: [String: [Int]] {
        state.withLock { $0.failed ? [:] : $0.readings.series }
    }
}
