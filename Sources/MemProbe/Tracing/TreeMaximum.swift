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
    /// The upper bound of ``net``, or `nil` if that is unknown.
    ///
    /// It is the largest sum of the net peaks of processes that lived at the same time, or what the control group of the
    /// command was charged at most, if that is less.
    public var netAtMost: ByteCount?
    /// True if the upper bounds are what the control group of the command was charged at most.
    public var isOfGroup: Bool?
    /// The time of ``resident``, in nanoseconds of `CLOCK_MONOTONIC`.
    public var timeNanoseconds: Int
    /// The number of processes with memory of their own at that time.
    public var processes: Int

    /// Creates a maximum.
    public init(
        resident: ByteCount, anonymous: ByteCount, net: ByteCount? = nil, timeNanoseconds: Int, processes: Int
    ) {
        (self.resident, self.anonymous, self.net) = (resident, anonymous, net)
        (self.timeNanoseconds, self.processes) = (timeNanoseconds, processes)
    }

    private enum CodingKeys: String, CodingKey {
        case resident = "resident_bytes"
        case residentAtMost = "resident_at_most_bytes"
        case anonymous = "anonymous_bytes"
        case net = "net_bytes"
        case netAtMost = "net_at_most_bytes"
        case isOfGroup = "is_of_control_group"
        case timeNanoseconds = "time_ns"
        case processes
    }

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
            ? processes.reduce(.zero) { $0 + $1.peak.resident } : Self.largestSum(atOnce: processes, \.peak.resident)
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

    static func largestSum(atOnce processes: [ProcessTrace], _ peak: (ProcessTrace) -> ByteCount) -> ByteCount {
        let begins = processes.map { (time: $0.startNanoseconds, change: peak($0)) }
        let ends = processes.map { (time: $0.endNanoseconds, change: .zero - peak($0)) }
        // Where one ends as another begins, both count.
        let changes = (begins + ends).sorted { ($0.time, $1.change) < ($1.time, $0.change) }
        var (sum, largest) = (ByteCount.zero, ByteCount.zero)
        for change in changes {
            sum += change.change
            largest = max(largest, sum)
        }
        return largest
    }

    /// A process of a command in a sample of all of them.
    package struct Part: Hashable, Sendable {
        package var index: Int
        /// The number of its kin: processes that are copies of each other, by `fork` without an `exec` since.
        package var kin: Int
        package var reading: ResidentReading

        package init(index: Int, kin: Int, reading: ResidentReading) {
            (self.index, self.kin, self.reading) = (index, kin, reading)
        }
    }

    /// The processes of a command in one sample, and the charge of their control group if there are several.
    package struct Snapshot: Hashable, Sendable {
        package var parts: [Part]
        package var group: ChargeStatistics?

        package init(parts: [Part], group: ChargeStatistics? = nil) {
            (self.parts, self.group) = (parts, group)
        }

        package static let none = Snapshot(parts: [])
    }

    /// The memory of all processes of a command over time, in a buffer of fixed size.
    ///
    /// When it is full, the larger one of every two samples is kept, and from then on the largest of twice as many.
    package struct Series: Sendable {
        private let capacity: Int
        private var width = 1
        private var taken = 0
        private var kept: [Sample] = []

        /// Creates an empty series of at most `capacity` samples.
        package init(capacity: Int = 1000) {
            precondition(capacity >= 2, "a series has a beginning and an end")
            self.capacity = capacity
            kept.reserveCapacity(capacity)
        }

        package var samples: [Sample] { kept }

        /// Adds a sample, which has to be later than the previous ones.
        package mutating func note(_ sample: Sample) {
            if taken % width != 0, let last = kept.last {
                if sample.resident > last.resident { kept[kept.count - 1] = sample }
            } else {
                if kept.count == capacity { halve() }
                kept.append(sample)
            }
            taken += 1
        }

        private mutating func halve() {
            let pairs = stride(from: 0, to: kept.count, by: 2).map { first in
                kept[first..<min(first + 2, kept.count)].reduce(kept[first]) { $1.resident > $0.resident ? $1 : $0 }
            }
            kept.replaceSubrange(kept.startIndex..., with: pairs)
            width *= 2
            taken = kept.count * width
        }
    }
}

/// The bounds of the memory that several processes hold together at one instant.
///
/// A page that several of them map is one page, and it is in the reading of each. Memory without a file is shared
/// among kin alone, as after a fork; pages of files and shared memory may be shared by all. A control group counts each
/// page once.
package struct JointReading: Hashable, Sendable {
    /// The lower bound: the largest process of each group that may share pages, and the largest share of file pages.
    package var least: ResidentReading
    /// The upper bound: the sum, which is exact if the processes share nothing.
    package var most: ResidentReading

    package static let none = JointReading(.none)

    package init(_ snapshot: TreeMaximum.Snapshot) { self.init(snapshot, shared: \.reading.shared) }

    /// Counts only this part of each process's pages of files.
    package init(_ snapshot: TreeMaximum.Snapshot, shared: (TreeMaximum.Part) -> ByteCount) {
        var anonymous: [Int: ByteCount] = [:]
        var (sum, sumShared, largestShared) = (ByteCount.zero, ByteCount.zero, ByteCount.zero)
        for part in snapshot.parts {
            anonymous[part.kin] = max(anonymous[part.kin] ?? .zero, part.reading.anonymous)
            let shared = shared(part)
            sum += part.reading.anonymous + shared
            sumShared += shared
            largestShared = max(largestShared, shared)
        }
        var certain = anonymous.values.reduce(.zero, +)
        if let group = snapshot.group {
            certain = max(certain, group.anonymous)
            // Leaves out files in memory that no process maps.
            largestShared = max(largestShared, min(group.sharedMemory, sumShared))
            sum = certain + sumShared
        }
        least = ResidentReading(resident: certain + largestShared, shared: largestShared)
        most = ResidentReading(resident: sum, shared: sumShared)
    }
}
