// SPDX-License-Identifier: Apache-2.0

/// A thread of this process that reads its allocator's statistics on a schedule.
///
/// It shows in time what the program holds and what the allocator keeps. Each reading takes the allocator's locks and
/// some microseconds for each arena, and the thread is memory of this process: never sample what is measured.
package final class AllocatorSampler {
    private let run: AllocatorSamplingRun

    /// Starts sampling, with a first sample at once; `nil` if the allocator keeps no statistics.
    /// - Parameter capacity: The samples that are kept, some 160 bytes each, touched before the first one.
    /// - Throws: ``MemProbeError`` if the process cannot be read, or without memory or threads.
    package init?(schedule: SamplingSchedule, capacity: Int) throws(MemProbeError) {
        // The first reading looks names up, which may allocate.
        guard AllocatorStatistics.read() != nil else { return nil }
        run = try AllocatorSamplingRun(schedule, capacity: capacity)
        // By the caller: on a busy machine the thread may begin after what it is to show.
        try run.take(at: MonotonicClock.now())
        try run.begin()
    }

    /// Takes a last sample at once and ends the thread; called once.
    package func stop() -> [Sample] {
        run.end()
        return run.samples
    }

    private final class AllocatorSamplingRun: SamplingThread, @unchecked Sendable {
        private let folder: Descriptor
        private let file: ResidentFile
        private let text = TextBuffer(capacity: ResidentFile.roomForReading)
        private let pageSize = PeakErrorBound.pageSize
        private let storage: SampleStorage<Sample>
        private var count = 0

        init(_ schedule: SamplingSchedule, capacity: Int) throws(MemProbeError) {
            folder = try Descriptor(openingFolderOf: .current, in: "/proc")
            file = try ResidentFile(in: folder)
            let memory = ResidentReading(resident: .zero, shared: .zero)
            storage = try SampleStorage(
                capacity: capacity,
                filledWith: Sample(
                    timeNanoseconds: 0, memory: memory, allocator: AllocatorStatistics(allocated: .zero)))
            super.init(schedule)
        }

        /// The samples; valid when the thread has ended.
        var samples: [Sample] { Array(storage.slots.prefix(count)) }

        override func take(at now: Int) throws(MemProbeError) {
            guard count < storage.slots.count, let statistics = AllocatorStatistics.read() else { return }
            let memory = try file.read(into: text, pageSize: pageSize)
            storage.slots[count] = Sample(timeNanoseconds: now, memory: memory, allocator: statistics)
            count += 1
        }
    }

    /// One timed reading of this process and of its allocator.
    package struct Sample: Hashable, Sendable, BitwiseCopyable {
        /// The time of the reading, in nanoseconds of `CLOCK_MONOTONIC`.
        package var timeNanoseconds: Int
        package var memory: ResidentReading
        package var allocator: AllocatorStatistics

        package init(timeNanoseconds: Int, memory: ResidentReading, allocator: AllocatorStatistics) {
            (self.timeNanoseconds, self.memory) = (timeNanoseconds, memory)
            self.allocator = allocator
        }
    }
}
