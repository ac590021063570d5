// SPDX-License-Identifier: Apache-2.0

import Libc

/// One timed reading of a process.
public struct Sample: Codable, Hashable, Sendable {
    /// The time of the reading, in nanoseconds of `CLOCK_MONOTONIC`.
    public var timeNanoseconds: Int
    /// The resident set.
    public var resident: ByteCount
    /// The resident pages of files and shared memory.
    public var shared: ByteCount
    /// The resident pages that no file backs.
    public var anonymous: ByteCount { resident - shared }

    /// Creates a sample.
    public init(timeNanoseconds: Int, resident: ByteCount, shared: ByteCount) {
        (self.timeNanoseconds, self.resident, self.shared) = (timeNanoseconds, resident, shared)
    }

    private enum CodingKeys: String, CodingKey {
        case timeNanoseconds = "time_ns"
        case resident = "resident_bytes"
        case shared = "shared_bytes"
    }
}

/// The samples of one run of a sampler, in the order of their times, and their reliability.
///
/// Its largest value is the *sampled maximum*, which is not a peak: a spike between two samples is not in it.
public struct SampleSeries: Hashable, Sendable {
    /// The samples.
    public var samples: [Sample]
    /// The number of samples that did not fit into the buffer.
    public var dropped: Int
    /// True if the sampler was held up: a gap was longer than five intervals.
    public var isDegraded: Bool
    /// The longest time between two readings, or between the start and the first, in nanoseconds.
    public var longestGapNanoseconds: Int
    /// The largest resident set read over the limit, without program pages, for which the process was killed; `nil` if it kept the limit or
    /// had none.
    public var overLimit: ByteCount?
    /// The reason why the series ended before the sampler was stopped, or `nil`.
    ///
    /// It is ``MemProbeError/Code/noSuchProcess`` if the process ended.
    public var interruption: MemProbeError?

    /// Creates a series.
    public init(
        samples: [Sample], dropped: Int = 0, isDegraded: Bool = false, longestGapNanoseconds: Int = 0,
        overLimit: ByteCount? = nil, interruption: MemProbeError? = nil
    ) {
        (self.samples, self.dropped, self.isDegraded) = (samples, dropped, isDegraded)
        (self.longestGapNanoseconds, self.overLimit) = (longestGapNanoseconds, overLimit)
        self.interruption = interruption
    }

    /// A sample in 16 bytes: the whole buffer is touched before a measurement, so its size is a cost.
    struct PackedSample: BitwiseCopyable {
        private var time: Int
        private var residentPages: UInt32
        private var sharedPages: UInt32

        static let empty = PackedSample(time: 0, residentPages: 0, sharedPages: 0)
    }
}

extension SampleSeries.PackedSample {
    /// Packs a reading; throws for 2³² pages or more, 16 TiB with pages of 4 KiB.
    init(_ reading: ResidentReading, at time: Int, pageSize: Int) throws(MemProbeError) {
        guard let resident = UInt32(exactly: reading.resident.rawValue / pageSize),
            let shared = UInt32(exactly: reading.shared.rawValue / pageSize)
        else { throw MemProbeError(.unavailable, source: "samples of 2^32 pages") }
        self.init(time: time, residentPages: resident, sharedPages: shared)
    }

    func unpacked(pageSize: Int) -> Sample {
        Sample(
            timeNanoseconds: time, resident: ByteCount(Int(residentPages) * pageSize),
            shared: ByteCount(Int(sharedPages) * pageSize))
    }
}

/// Memory for samples in its own mapping, not counted by the allocator.
///
/// One thread writes at a time, and is joined before another reads.
final class SampleStorage<Slot: BitwiseCopyable>: @unchecked Sendable {
    let slots: UnsafeMutableBufferPointer<Slot>
    private let length: Int

    /// - Parameter empty: Touches the memory before the measurement, which counts that of its own process; `nil` for the
    ///   samples of another process, whose memory is touched as they come.
    init(capacity: Int, filledWith empty: Slot?) throws(MemProbeError) {
        let (length, overflow) = capacity.multipliedReportingOverflow(by: MemoryLayout<Slot>.stride)
        guard !overflow, let pages = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            pages != MAP_FAILED
        else { throw MemProbeError(.exhausted, source: "mmap", errno: overflow ? ENOMEM : errno) }
        self.length = length
        let start = pages.bindMemory(to: Slot.self, capacity: capacity)
        slots = UnsafeMutableBufferPointer(start: start, count: capacity)
        if let empty { slots.initialize(repeating: empty) }
    }

    deinit { munmap(slots.baseAddress, length) }
}
