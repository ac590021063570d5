// SPDX-License-Identifier: Apache-2.0

/// The most memory of all processes of a command at the same time, as far as samples show.
///
/// Shared pages count once per process, as in the kernel.
///
public struct TreeMaximum: Codable, Hashable, Sendable {
    /// The largest sum of resident sets: at least the largest peak of one process, at most the sum of all peaks.
    public var resident: ByteCount
    /// The largest sum of anonymous pages, possibly at another instant.
    public var anonymous: ByteCount
    /// The largest sum without program pages, or `nil` if they are unknown for a process.
    ///
    /// It is at least the largest net peak of one process and at most the sum of all.
    public var net: ByteCount?
    /// The time of ``resident``, in nanoseconds of `CLOCK_MONOTONIC`.
    public var timeNanoseconds: Int
    /// The number of processes with memory of their own at that time.
    public var processes: Int

    /// Creates a maximum.
    public init(
        resident: ByteCount, anonymous: ByteCount, net: ByteCount? = nil, timeNanoseconds: Int, processes: Int
    ) {
        self.resident = resident
        self.anonymous = anonymous
        self.net = net
        self.timeNanoseconds = timeNanoseconds
        self.processes = processes
    }

    private enum CodingKeys: String, CodingKey {
        case resident = "resident_bytes"
        case anonymous = "anonymous_bytes"
        case net = "net_bytes"
        case timeNanoseconds = "time_ns"
        case processes
    }

    /// The value before the first sample.
    package static let none = TreeMaximum(resident: .zero, anonymous: .zero, timeNanoseconds: 0, processes: 0)

    package mutating func note(_ sum: ResidentReading, processes: Int, at time: Int) {
        anonymous = max(anonymous, sum.anonymous)
        guard sum.resident > resident else { return }
        resident = sum.resident
        timeNanoseconds = time
        self.processes = processes
    }

    /// Returns the maximum, limited to what is known exactly: the peaks, and anonymous memory at the ends.
    package func bounded(by processes: [ProcessTrace]) -> TreeMaximum {
        let largest = processes.max { $0.peak.resident < $1.peak.resident }
        let sum = processes.reduce(ByteCount.zero) { $0 + $1.peak.resident }
        var bounded = self
        if let largest, largest.peak.resident > resident {
            bounded.resident = largest.peak.resident
            bounded.processes = max(1, self.processes)
            bounded.timeNanoseconds = timeNanoseconds == 0 ? largest.endNanoseconds : timeNanoseconds
        }
        bounded.resident = min(bounded.resident, sum)
        let atEnd = processes.compactMap(\.anonymousAtEnd).max() ?? .zero
        bounded.anonymous = min(max(anonymous, atEnd), bounded.resident)
        return bounded
    }
}
