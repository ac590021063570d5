// SPDX-License-Identifier: Apache-2.0

/// Waits until a process's memory keeps still, so that a mark does not fall into the middle of a release.
public enum QuietMoment {
    /// What a wake-up may be late by on a machine that has a processor to spare, in nanoseconds.
    private static let lateness = 1_000_000

    /// Blocks the calling thread until resident and shared have not changed for a while.
    ///
    /// A wake-up that comes late begins the wait anew: a machine that lets this thread wait may let one wait that was
    /// about to release something. It allocates nothing.
    ///
    /// - Parameters:
    ///   - probe: the process to watch.
    ///   - quiet: how long nothing may change, in nanoseconds.
    ///   - limit: how long to wait at most, in nanoseconds.
    ///   - pause: the time between two readings, in nanoseconds.
    /// - Returns: whether it kept still; false when the limit came first.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` when the process has ended.
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
