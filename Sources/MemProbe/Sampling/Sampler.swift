// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A thread that reads a process's resident set on a schedule.
///
/// It gives the course of a phase, not its peak: most spikes shorter than the interval are missed. Sample from another
/// process if you can, which costs the measured one nothing. A running sampler allocates nothing. It can be started and
/// stopped any number of times, from any thread.
public final class Sampler: Sendable {
    private let schedule: SamplingSchedule
    private let storage: SampleStorage<PackedSample>
    private let active = Mutex<SamplingRun?>(nil)

    /// Creates a sampler with its buffer allocated and touched, so that sampling adds nothing to what is measured.
    ///
    /// - Parameters:
    ///   - schedule: when samples are taken.
    ///   - capacity: the samples that a run can keep, 16 bytes each; see
    ///     ``SamplingSchedule/capacity(forNanoseconds:)``.
    /// - Throws: ``MemProbeError/Code/exhausted`` if there is not enough memory.
    public init(schedule: SamplingSchedule = .standard, capacity: Int) throws(MemProbeError) {
        precondition(capacity > 0, "a series needs room for a sample")
        self.schedule = schedule
        storage = try SampleStorage(capacity: capacity, filledWith: .empty)
    }

    deinit {
        _ = stop()
    }

    /// Starts sampling a process, with a first sample at once.
    ///
    /// The thread runs with real-time or raised priority if this process may set it. Otherwise it competes for processors
    /// with what it measures, which shows in its gaps.
    ///
    /// - Parameters:
    ///   - target: the process.
    ///   - residentLimit: the resident set without program pages beyond which the process is killed, or `nil`. It may grow
    ///     further between two samples.
    /// - Throws: ``MemProbeError/Code/noSuchProcess``, ``MemProbeError/Code/busy`` if it is already running, or
    ///   ``MemProbeError/Code/exhausted`` if no thread can be started.
    public func start(_ target: ProcessTarget, residentLimit: ByteCount? = nil) throws(MemProbeError) {
        try active.withLock { (active: inout sending SamplingRun?) throws(MemProbeError) in
            guard active == nil else { throw MemProbeError(.busy, source: "sampler") }
            let run = try SamplingRun(
                target, schedule: schedule, residentLimit: residentLimit, storage: storage)
            try run.begin()
            active = run
        }
    }

    /// Takes a last sample at once and ends the run.
    ///
    /// This copies the series: read the peak first if this process is the one that is measured.
    ///
    /// - Returns: the samples since the start; none if it was not started.
    public func stop() -> SampleSeries {
        active.withLock { active in
            guard let run = active else { return SampleSeries(samples: []) }
            run.end()
            active = nil
            return run.series
        }
    }
}
