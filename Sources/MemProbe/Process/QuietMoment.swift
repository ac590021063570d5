// SPDX-License-Identifier: Apache-2.0

/// Waits until a process's memory is stable, so that a mark does not fall into the middle of a release.
public enum QuietMoment {
    /// The tolerated lateness of a wake-up on a machine with a processor to spare, in nanoseconds.
    private static let lateness = 1_000_000

    /// Blocks the calling thread until resident and shared memory are unchanged for a while; allocates nothing.
    ///
    /// A late wake-up restarts the wait: a machine that delays this thread may also delay one that was about to release
    /// memory.
    ///
    /// - Parameters:
    ///   - probe: the process to watch.
    ///   - quiet: the nanoseconds for which nothing may change.
    ///   - limit: the nanoseconds to wait at most.
    ///   - pause: the nanoseconds between two readings.
    /// - Returns: true if the memory was stable, false if the limit came first.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended.
    public static func wait(
        _ probe: inout ProcessProbe, unchangedFor quiet: Int, atMost limit: Int, pollEvery pause: Int
    ) throws(MemProbeError) -> Bool {
        precondition(quiet >= 0 && limit >= 0 && pause > 0, "times are not negative, and polling needs a pause")
        let start = MonotonicClock.now()
        var last = try probe.resident()
        var unchangedSince = start
        while true {
            let now = MonotonicClock.now()
            if now - unchangedSince >= quiet { return true }
            if now - start >= limit { return false }
            MonotonicClock.sleep(nanoseconds: min(pause, start + limit - now))
            let reading = try probe.resident()
            let isLate = MonotonicClock.now() - now > pause + lateness
            if reading != last || isLate {
                last = reading
                unchangedSince = MonotonicClock.now()
            }
        }
    }
}
