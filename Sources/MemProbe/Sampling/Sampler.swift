// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc
import Synchronization

/// A thread that reads a process's resident set on a schedule.
///
/// It gives the course of a phase, not its peak: most spikes shorter than the interval are missed. Sample from another
/// process if you can, which costs the measured one nothing. A running sampler allocates nothing. It can be started and
/// stopped any number of times, from any thread.
public final class Sampler: Sendable {
    private let schedule: SamplingSchedule
    private let storage: SampleStorage<SampleSeries.PackedSample>
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

    deinit { _ = stop() }

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

    /// One run of a sampler of a process's resident set, and its results.
    final class SamplingRun: SamplingThread, @unchecked Sendable {
        private let folder: Descriptor
        private let file: ResidentFile
        private let text = TextBuffer(capacity: ResidentFile.roomForReading)
        private let pageSize = PeakErrorBound.pageSize
        private var limit: NetLimit?
        /// Reads program pages; only where there is a limit, as its buffers cost memory.
        private let program: ProgramReader?
        private let storage: SampleStorage<SampleSeries.PackedSample>
        private var count = 0
        private var dropped = 0
        private var overLimit: ByteCount?

        init(
            _ target: ProcessTarget, schedule: SamplingSchedule, residentLimit: ByteCount?,
            storage: SampleStorage<SampleSeries.PackedSample>
        ) throws(MemProbeError) {
            folder = try Descriptor(openingFolderOf: target, in: "/proc")
            file = try ResidentFile(in: folder)
            limit = residentLimit.map { NetLimit($0) }
            program = residentLimit.map { _ in ProgramReader() }
            self.storage = storage
            super.init(schedule)
        }

        /// The results; valid when the thread has ended.
        var series: SampleSeries {
            SampleSeries(
                samples: storage.slots.prefix(count).map { $0.unpacked(pageSize: pageSize) }, dropped: dropped,
                isDegraded: isDegraded,
                longestGapNanoseconds: longestGap, overLimit: overLimit, interruption: interruption)
        }

        override func take(at now: Int) throws(MemProbeError) {
            let reading = try file.read(into: text, pageSize: pageSize)
            enforceLimit(on: reading.resident)
            guard count < storage.slots.count else {
                dropped += 1
                return
            }
            storage.slots[count] = try SampleSeries.PackedSample(reading, at: now, pageSize: pageSize)
            count += 1
        }

        /// Kills a process over its limit; while it can still be read, it may still grow.
        private func enforceLimit(on resident: ByteCount) {
            guard let excess = limit?.excess(of: resident, programPages: { program?.pages(in: folder) }) else { return }
            overLimit = max(overLimit ?? .zero, excess)
            _ = cmemprobe_kill_behind(folder.number)
        }
    }

    /// Reads the program pages of a process.
    private final class ProgramReader {
        private var mappings = ProgramMappings()
        private let text = TextBuffer()

        /// Returns them; `nil` if they are hidden, or the process is gone.
        func pages(in folder: borrowing Descriptor) -> ByteCount? {
            guard let maps = try? Descriptor(opening: "maps", in: folder),
                let pagemap = try? Descriptor(opening: "pagemap", in: folder)
            else { return nil }
            return try? mappings.programPages(
                maps: maps, pagemap: pagemap, pageSize: PeakErrorBound.pageSize, through: text)
        }
    }
}

/// A thread that takes samples on a schedule, without allocating, until it is ended.
///
/// Results are written by the thread alone and read after it was joined.
class SamplingThread: @unchecked Sendable {
    private let schedule: SamplingSchedule
    private let alarm = AlarmClock()
    private let start = MonotonicClock.now()
    private var thread = pthread_t()
    /// True if a gap was longer than five intervals.
    private(set) var isDegraded = false
    /// The longest time between two samples, or between the start and the first.
    private(set) var longestGap = 0
    /// The error that ended the thread early, or `nil`.
    private(set) var interruption: MemProbeError?

    init(_ schedule: SamplingSchedule) { self.schedule = schedule }

    /// Takes one sample; called by the thread, so it must not allocate.
    func take(at now: Int) throws(MemProbeError) {
        preconditionFailure("a sampler without samples")
    }

    /// Starts the thread with a small stack and all signals blocked: they belong to the program's own threads.
    func begin() throws(MemProbeError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 65536)
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let context = Unmanaged.passRetained(self)
        let status = pthread_create(&thread, &attributes, sampleUntilEnded, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw MemProbeError(.exhausted, source: "pthread_create", errno: status)
        }
    }

    /// Makes the thread take its last sample, and waits until it has ended.
    func end() {
        alarm.ring()
        pthread_join(thread, nil)
    }

    fileprivate func run() {
        // Not required: a late sample shows as a gap.
        cmemprobe_make_urgent()
        var due = start
        var last = start
        while true {
            let isEnding = alarm.sleep(until: due)
            let now = MonotonicClock.now()
            watch(gap: now - last, interval: schedule.interval(at: last - start))
            do {
                try take(at: now)
            } catch {
                interruption = error
                return
            }
            if isEnding { return }
            last = now
            due = SamplingSchedule.next(after: due, now: now, interval: schedule.interval(at: now - start))
        }
    }

    private func watch(gap: Int, interval: Int) {
        longestGap = max(longestGap, gap)
        isDegraded = isDegraded || gap > 5 * interval
    }

    /// A sleep until an absolute time that another thread can interrupt.
    ///
    /// `clock_nanosleep` can only be interrupted by a signal, and signals belong to the program.
    final class AlarmClock: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        /// Guarded by the mutex.
        private var isRinging = false

        init() {
            // On Linux none of these can fail: they fill in memory.
            mutex.initialize(to: pthread_mutex_t())
            condition.initialize(to: pthread_cond_t())
            pthread_mutex_init(mutex, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(mutex)
            condition.deallocate()
            mutex.deallocate()
        }

        /// Sleeps until a time of `CLOCK_MONOTONIC` in nanoseconds; returns true if ``ring()`` came first.
        func sleep(until time: Int) -> Bool {
            var deadline = timespec(nanoseconds: time)
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while !isRinging {
                if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
            }
            return isRinging
        }

        /// Wakes the sleeper, now or at its next sleep.
        func ring() {
            pthread_mutex_lock(mutex)
            isRinging = true
            pthread_cond_signal(condition)
            pthread_mutex_unlock(mutex)
        }
    }
}

/// The thread's body; it consumes the reference that it gets.
private func sampleUntilEnded(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<SamplingThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
