// SPDX-License-Identifier: Apache-2.0

/// The most memory of all processes of a command at the same time, as far as samples show.
///
/// It is a lower bound: a page that several processes share counts once where that is known, and no more than its share
/// where the kernel was asked.
public struct TreeMaximum: Codable, Hashable, Sendable {
    /// The most that was resident at once: at least the largest peak of one process.
    public var resident: ByteCount
    /// The upper bound of ``resident``, or `nil` for the sum of all peaks.
    ///
    /// It is the largest sum of the peaks of processes that lived at the same time, as if they shared nothing.
    public var residentAtMost: ByteCount?
    /// The most anonymous pages at once, possibly at another instant.
    public var anonymous: ByteCount
    /// The most without program pages, or `nil` if they are unknown for a process.
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
        case residentAtMost = "resident_at_most_bytes"
        case anonymous = "anonymous_bytes"
        case net = "net_bytes"
        case timeNanoseconds = "time_ns"
        case processes
    }

    /// The value before the first sample.
    package static let none = TreeMaximum(resident: .zero, anonymous: .zero, timeNanoseconds: 0, processes: 0)

    package mutating func note(_ held: ResidentReading, processes: Int, at time: Int) {
        anonymous = max(anonymous, held.anonymous)
        guard held.resident > resident else { return }
        resident = held.resident
        timeNanoseconds = time
        self.processes = processes
    }

    /// Returns the maximum, limited to what is known exactly: the peaks, and anonymous memory at the ends.
    ///
    /// Of polled processes the beginning is not known exactly, and all may have lived at the same time.
    package func bounded(by processes: [ProcessTrace], isPolled: Bool = false) -> TreeMaximum {
        let largest = processes.max { $0.peak.resident < $1.peak.resident }
        let most =
            isPolled
            ? processes.reduce(.zero) { $0 + $1.peak.resident } : Self.largestSum(ofPeaksAtOnce: processes)
        var bounded = self
        bounded.residentAtMost = most
        if let largest, largest.peak.resident > resident {
            bounded.resident = largest.peak.resident
            bounded.processes = max(1, self.processes)
            bounded.timeNanoseconds = timeNanoseconds == 0 ? largest.endNanoseconds : timeNanoseconds
        }
        bounded.resident = min(bounded.resident, most)
        let atEnd = processes.compactMap(\.anonymousAtEnd).max() ?? .zero
        bounded.anonymous = min(max(anonymous, atEnd), bounded.resident)
        return bounded
    }

    private static func largestSum(ofPeaksAtOnce processes: [ProcessTrace]) -> ByteCount {
        let begins = processes.map { (time: $0.startNanoseconds, change: $0.peak.resident) }
        let ends = processes.map { (time: $0.endNanoseconds, change: .zero - $0.peak.resident) }
        // Where one ends as another begins, both count.
        let changes = (begins + ends).sorted { ($0.time, $1.change) < ($1.time, $0.change) }
        var (sum, largest) = (ByteCount.zero, ByteCount.zero)
        for change in changes {
            sum += change.change
            largest = max(largest, sum)
        }
        return largest
    }
}
