// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// The memory of a trial's process and the account of its allocator in time, read by a thread of the process itself.
///
/// It is made in an extra trial, never in a measured one. A sample is at the same place in each column.
public struct AllocatorSeries: Codable, Hashable, Sendable {
    /// The times of the samples on the monotonic clock, in nanoseconds, in ascending order.
    public var times: [Int]
    /// The resident set of the process.
    public var resident: [ByteCount]
    /// The resident pages of the process that no file backs.
    public var anonymous: [ByteCount]
    /// `AllocatorStatistics.allocated`.
    public var allocated: [ByteCount]
    /// `AllocatorStatistics.active`; `nil` if the allocator does not report it.
    public var active: [ByteCount]?
    /// `AllocatorStatistics.resident`; `nil` if the allocator does not report it.
    public var residentOfAllocator: [ByteCount]?
    /// `AllocatorStatistics.mapped`; `nil` if the allocator does not report it.
    public var mapped: [ByteCount]?
    /// `AllocatorStatistics.retained`; `nil` if the allocator does not report it.
    public var retained: [ByteCount]?

    /// The version of the documents that can ask for a series.
    package static let documentVersion = 8

    /// The time after which samples are taken ten times less often.
    package static let wholeNanoseconds = 60_000_000_000

    /// The most samples of a series: at 5 ms those of seven minutes.
    package static let mostSamples = 20_000

    package init(_ samples: [AllocatorSample]) {
        func column(_ size: (AllocatorStatistics) -> ByteCount?) -> [ByteCount]? {
            let sizes = samples.compactMap { size($0.allocator) }
            return sizes.isEmpty || sizes.count < samples.count ? nil : sizes
        }
        times = samples.map(\.timeNanoseconds)
        resident = samples.map(\.memory.resident)
        anonymous = samples.map(\.memory.anonymous)
        allocated = samples.map(\.allocator.allocated)
        active = column(\.active)
        residentOfAllocator = column(\.resident)
        mapped = column(\.mapped)
        retained = column(\.retained)
    }

    private enum CodingKeys: String, CodingKey {
        case times = "time_ns"
        case resident = "resident_bytes"
        case anonymous = "anonymous_bytes"
        case allocated = "allocator_allocated_bytes"
        case active = "allocator_active_bytes"
        case residentOfAllocator = "allocator_resident_bytes"
        case mapped = "allocator_mapped_bytes"
        case retained = "allocator_retained_bytes"
    }
}
