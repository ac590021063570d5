// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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

    init(_ schedule: SamplingSchedule) {
        self.schedule = schedule
    }

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
}

/// The thread's body; it consumes the reference that it gets.
private func sampleUntilEnded(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<SamplingThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
