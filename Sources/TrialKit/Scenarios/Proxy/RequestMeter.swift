// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Synchronization

/// Reads the process at an interval of answered requests, on the thread that answered the last of them.
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

    let interval: Int

    private let first: Int
    private let capacity: Int
    private let state: Mutex<State>

    /// Reserves memory for all readings.
    /// - Parameters:
    ///   - count: The number of all requests.
    ///   - first: The number of requests before the first interval.
    ///   - most: The largest number of readings.
    init(of count: Int, after first: Int, most: Int) throws {
        self.first = first
        interval = max(1, (count - first) / most)
        capacity = (count - first) / interval
        state = Mutex(try State(capacity: capacity))
    }

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

    /// The readings by name; empty if one failed, because the others would belong to other requests.
    var series: [String: [Int]] {
        state.withLock { $0.failed ? [:] : $0.readings.series }
    }
}
