// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread that reads a process's resident set on a schedule.
///
/// It gives the course of a phase, not its peak: most spikes shorter than the interval are missed. Sample from another
/// process if you can, which costs the measured one nothing. A running sampler allocates nothing. It can be started and
/// stopped any number of times, from any thread.
public final class Sampler: Sendable {
    private struct Active: Sendable {
        var run: SamplingRun
        var thread: pthread_t
    }

    private let schedule: SamplingSchedule
    private let storage: SampleStorage
    private let active = Mutex<Active?>(nil)

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
        storage = try SampleStorage(capacity: capacity)
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
    ///   - residentLimit: the resident set beyond which the process is killed, or `nil`. It may grow further between
    ///     two samples.
    /// - Throws: ``MemProbeError/Code/noSuchProcess``, ``MemProbeError/Code/busy`` if it is already running, or
    ///   ``MemProbeError/Code/exhausted`` if no thread can be started.
    public func start(_ target: ProcessTarget, residentLimit: ByteCount? = nil) throws(MemProbeError) {
        try active.withLock { (active: inout sending Active?) throws(MemProbeError) in
            guard active == nil else { throw MemProbeError(.busy, source: "sampler") }
            let run = try SamplingRun(
                target, schedule: schedule, residentLimit: residentLimit, storage: storage)
            active = Active(run: run, thread: try Self.spawn(run))
        }
    }

    /// Takes a last sample at once and ends the run.
    ///
    /// This copies the series: read the peak first if this process is the one that is measured.
    ///
    /// - Returns: the samples since the start; none if it was not started.
    public func stop() -> SampleSeries {
        active.withLock { active in
            guard let ending = active else { return SampleSeries(samples: []) }
            ending.run.finish()
            pthread_join(ending.thread, nil)
            active = nil
            return ending.run.series
        }
    }

    /// Starts a thread with a small stack and all signals blocked: they belong to the program's own threads.
    private static func spawn(_ run: SamplingRun) throws(MemProbeError) -> pthread_t {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 65536)
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let context = Unmanaged.passRetained(run)
        let status = pthread_create(&thread, &attributes, sampleUntilFinished, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw MemProbeError(.exhausted, source: "pthread_create", errno: status)
        }
        return thread
    }
}

/// The thread's body; it consumes the reference that it gets.
private func sampleUntilFinished(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<SamplingRun>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
