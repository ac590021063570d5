// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread that reads a process's resident set on a schedule.
///
/// It gives the course of a phase, not its peak: a spike shorter than the interval is mostly missed.
/// Sample another process where you can; that costs it nothing. While it runs it allocates nothing.
///
/// One sampler can be started and stopped any number of times, from any thread.
public final class Sampler: Sendable {
    private struct Active: Sendable {
        var run: SamplingRun
        var thread: pthread_t
    }

    private let schedule: SamplingSchedule
    private let storage: SampleStorage
    private let active = Mutex<Active?>(nil)

    /// Allocates and touches the buffer, so that sampling itself adds nothing to what is measured.
    ///
    /// - Parameters:
    ///   - schedule: when samples are taken.
    ///   - capacity: how many samples a run can keep, 16 bytes each; see
    ///     ``SamplingSchedule/capacity(forNanoseconds:)``.
    /// - Throws: ``MemProbeError/Code/exhausted`` where there is no memory for it.
    public init(schedule: SamplingSchedule = .standard, capacity: Int) throws(MemProbeError) {
        precondition(capacity > 0, "a series needs room for a sample")
        self.schedule = schedule
        storage = try SampleStorage(capacity: capacity)
    }

    deinit {
        _ = stop()
    }

    /// Begins to sample a process, with a first sample at once.
    ///
    /// The thread is woken before all ordinary ones where this process may ask for that; else it competes with what it
    /// measures for the processors, and its gaps show it.
    ///
    /// - Parameters:
    ///   - target: the process.
    ///   - residentLimit: the resident set beyond which it is killed; `nil` for none. The growth between two samples
    ///     comes on top of it.
    /// - Throws: ``MemProbeError/Code/noSuchProcess``, ``MemProbeError/Code/busy`` when it was started before and
    ///   not stopped, ``MemProbeError/Code/exhausted`` where no thread can be had.
    public func start(_ target: ProcessTarget, residentLimit: ByteCount? = nil) throws(MemProbeError) {
        try active.withLock { (active: inout sending Active?) throws(MemProbeError) in
            guard active == nil else { throw MemProbeError(.busy, source: "sampler") }
            let run = try SamplingRun(
                target, schedule: schedule, residentLimit: residentLimit, storage: storage)
            active = Active(run: run, thread: try Self.spawn(run))
        }
    }

    /// Takes a last sample and ends the run, at once whatever the interval.
    ///
    /// The series is copied out here: read the peak first where this process is the one that is measured.
    ///
    /// - Returns: the samples since the start; none where it was not started.
    public func stop() -> SampleSeries {
        active.withLock { active in
            guard let ending = active else { return SampleSeries(samples: []) }
            ending.run.finish()
            pthread_join(ending.thread, nil)
            active = nil
            return ending.run.series
        }
    }

    /// Begins a bare thread with a small stack and no signals: those belong to the program's own threads.
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

/// The thread's body; it takes over the reference it is given.
private func sampleUntilFinished(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<SamplingRun>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
