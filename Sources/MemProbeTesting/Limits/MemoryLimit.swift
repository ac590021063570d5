// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

/// A limit of a test's memory.
enum MemoryLimit: Hashable, Sendable {
    /// The growth of its process while it runs.
    case peak(PeakLimit)
    /// The memory that each of many runs leaves allocated.
    case leak(LeakLimit)
}

struct PeakLimit: Hashable, Sendable {
    enum Growth: Hashable, Sendable {
        case bytes(ByteCount)
        case formula(String, size: ByteCount?)
    }

    var growth: Growth
    /// The time limit of a process of the test; `nil` for the default.
    var timeLimit: Duration?

    func bytes() throws(LimitFormula.Fault) -> ByteCount {
        switch growth {
        case .bytes(let bytes): bytes
        case .formula(let text, let size): try LimitFormula.bytes(of: text, size: size)
        }
    }

    /// The formula as written, or `nil` for a number of bytes.
    var words: String? {
        switch growth {
        case .bytes: nil
        case .formula(let text, let size): text + (size.map { ", size \($0.exactText)" } ?? "")
        }
    }
}

struct LeakLimit: Hashable, Sendable {
    /// The fewest readings that make a line.
    static let fewestRepetitions = 20

    /// In bytes, as the allocator counts them.
    var bytesPerRepetition: Int
    var repetitions: Int
    /// The time limit of a process with all repetitions; `nil` for the default.
    var timeLimit: Duration?

    /// The number of runs before them, so that memory that is allocated once and kept does not count as a leak.
    var warmUp: Int { max(10, repetitions / 4) }

    /// The number of repetitions that has to confirm a rise.
    ///
    /// A pool that fills rises like a leak, but not for as long: libdispatch keeps up to 1,024 blocks per thread, and
    /// takes one or two each time a task is resumed on another thread.
    private var confirming: Int { max(2 * repetitions, 1600) }

    /// Returns the work of a process: as requested for the first one, more for one that confirms, as far as half of its
    /// time limit allows.
    func work(confirming isConfirming: Bool, _ time: ChildTimeLimit) -> SeriesWork {
        SeriesWork(
            warmUp: warmUp, repetitions: isConfirming ? confirming : repetitions, fewest: repetitions,
            seconds: time.seconds / 2)
    }
}

/// The limits of a test: the last one of each kind, because a test's own traits follow those of its suites.
struct EffectiveLimits: Sendable {
    private(set) var peak: PeakLimit?
    private(set) var leak: LeakLimit?

    init(_ limits: [MemoryLimit]) {
        for limit in limits {
            switch limit {
            case .peak(let limit): peak = limit
            case .leak(let limit): leak = limit
            }
        }
    }
}
