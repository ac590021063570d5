// SPDX-License-Identifier: Apache-2.0

/// The charge of a control group over time, and what the kernel counted until the end.
package struct ChargeSeries: Hashable, Sendable {
    package var samples: [ChargeSampler.Sample]
    /// The highest charge since the group was made; `nil` if it could not be read.
    package var peak: ChargePeak?
    package var reclaim: ReclaimCounts?
    /// The processes that the kernel killed for a limit.
    package var killCount: Int?
    /// The number of times that the charge reached the limit.
    package var limitHits: Int?
    /// The nearest group above whose limit was reached meanwhile; `nil` if none was.
    package var limitAbove: ControlGroup.LimitAbove?
    /// The memory in swap space at the end, which no charge includes.
    package var swapped: ByteCount?

    package init(
        samples: [ChargeSampler.Sample], peak: ChargePeak? = nil, reclaim: ReclaimCounts? = nil, killCount: Int? = nil,
        limitHits: Int? = nil, limitAbove: ControlGroup.LimitAbove? = nil, swapped: ByteCount? = nil
    ) {
        (self.samples, self.peak, self.reclaim) = (samples, peak, reclaim)
        (self.killCount, self.limitHits, self.limitAbove) = (killCount, limitHits, limitAbove)
        self.swapped = swapped
    }
}

/// A thread that reads the charge of a control group on a schedule, from outside of what is measured.
///
/// The whole charge is read each time, the parts when it has risen or fallen by a 32nd, and every fifth time: reading
/// `memory.stat` takes the kernel some 50 µs.
package final class ChargeSampler {
    private let group: ControlGroup
    private let run: ChargeSamplingRun
    private let limitsBefore: [ControlGroup.LimitAbove]

    /// Starts sampling a group.
    /// - Throws: ``MemProbeError`` if the group cannot be read, or without memory or threads.
    package init(
        _ group: ControlGroup, schedule: SamplingSchedule = .standard, storage: Storage
    ) throws(MemProbeError) {
        self.group = group
        limitsBefore = group.limitsAbove
        run = try ChargeSamplingRun(group, schedule, storage)
        try run.begin()
    }

    package func stop() -> ChargeSeries {
        run.end()
        var series = run.series
        series.killCount = group.killCount
        series.limitHits = group.limitHits
        series.limitAbove =
            zip(limitsBefore, group.limitsAbove).compactMap { before, after in
                let hits = after.hits - before.hits
                return hits > 0 ? ControlGroup.LimitAbove(folder: after.folder, limit: after.limit, hits: hits) : nil
            }.first
        series.swapped = group.swapped
        return series
    }

    private final class ChargeSamplingRun: SamplingThread, @unchecked Sendable {
        private var reader: ChargeReader
        private let storage: SampleStorage<Sample>
        private var count = 0
        private var ticks = 0
        private var last = ByteCount.zero
        private var reclaim: ReclaimCounts?

        init(_ group: ControlGroup, _ schedule: SamplingSchedule, _ storage: Storage)
            throws(MemProbeError)
        {
            reader = try ChargeReader(group)
            self.storage = storage.samples
            super.init(schedule)
        }

        /// The results; valid when the thread has ended.
        var series: ChargeSeries {
            // After the end of what is measured: what it had to read again up to then.
            let counts = try? reader.charge().reclaim
            return ChargeSeries(
                samples: Array(storage.slots.prefix(count)), peak: try? reader.peak(), reclaim: counts ?? reclaim)
        }

        override func take(at now: Int) throws(MemProbeError) {
            let total = try reader.total()
            let change = total > last ? total - last : last - total
            ticks += 1
            guard count < storage.slots.count, ticks % 5 == 1 || change.rawValue > last.rawValue / 32 else { return }
            let reading = try reader.charge()
            reclaim = reading.reclaim
            last = reading.charge.total
            storage.slots[count] = Sample(timeNanoseconds: now, charge: reading.charge)
            count += 1
        }
    }

    /// One timed reading of a control group's charge.
    package struct Sample: Hashable, Sendable, BitwiseCopyable {
        /// The time of the reading, in nanoseconds of `CLOCK_MONOTONIC`.
        package var timeNanoseconds: Int
        package var charge: MemoryCharge

        package init(timeNanoseconds: Int, charge: MemoryCharge) {
            (self.timeNanoseconds, self.charge) = (timeNanoseconds, charge)
        }
    }

    /// The memory for the samples of one sampler at a time.
    package final class Storage: Sendable {
        fileprivate let samples: SampleStorage<Sample>

        package init(capacity: Int) throws(MemProbeError) {
            samples = try SampleStorage(capacity: capacity, filledWith: nil)
        }
    }
}
