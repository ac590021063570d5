// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

/// What a test may cost.
enum MemoryLimit: Hashable, Sendable {
    /// How much its process may grow while it runs.
    case peak(PeakLimit)
    /// How much may stay allocated of each of many runs.
    case leak(LeakLimit)
}

/// How much a process may grow.
struct PeakLimit: Hashable, Sendable {
    enum Growth: Hashable, Sendable {
        case bytes(ByteCount)
        case formula(String, size: ByteCount?)
    }

    var growth: Growth
    /// How long a process of the test may take; `nil` for as long as usual.
    var timeLimit: Duration?

    func bytes() throws(LimitFormula.Fault) -> ByteCount {
        switch growth {
        case .bytes(let bytes): bytes
        case .formula(let text, let size): try LimitFormula.bytes(of: text, size: size)
        }
    }

    /// How it was written, where that is not just a number of bytes.
    var words: String? {
        switch growth {
        case .bytes: nil
        case .formula(let text, let size): text + (size.map { ", size \($0.exactText)" } ?? "")
        }
    }
}

/// How much may stay allocated of each of many runs.
struct LeakLimit: Hashable, Sendable {
    /// Fewer readings are no line.
    static let fewestRepetitions = 20

    /// In bytes, as the allocator counts them.
    var bytesPerRepetition: Int
    var repetitions: Int
    /// How long a process with all of them may take; `nil` for as long as usual.
    var timeLimit: Duration?

    /// How many runs come before them: what is made once and kept is no leak.
    var warmUp: Int { max(10, repetitions / 4) }

    /// How many runs a process reads that has to confirm a rise.
    ///
    /// A pool that fills rises like a leak, but not for as long: libdispatch keeps up to 1,024 blocks of each thread, one or
    /// two of each time that a task is resumed elsewhere.
    private var confirming: Int { max(2 * repetitions, 1600) }

    /// What a process reads: the first one as much as was asked for; one that confirms more, as far as half of its time
    /// suffices.
    func work(confirming isConfirming: Bool, _ time: ChildTimeLimit) -> SeriesWork {
        SeriesWork(
            warmUp: warmUp, repetitions: isConfirming ? confirming : repetitions, fewest: repetitions,
            seconds: time.seconds / 2)
    }
}

/// The limits that hold for a test: of each kind the last one, since a test's own traits come after its suites'.
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
