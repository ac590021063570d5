// SPDX-License-Identifier: Apache-2.0

/// Waits until a process's memory keeps still, so that a mark does not fall into the middle of a release.
public enum QuietMoment {
    /// Blocks the calling thread until resident and shared have not changed for a while.
    ///
    /// It allocates nothing.
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
            if reading != last {
                last = reading
                unchangedSince = MonotonicClock.now()
            }
        }
    }
}
