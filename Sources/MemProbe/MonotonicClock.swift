// SPDX-License-Identifier: Apache-2.0

import Libc

/// The clocks for measurements, in nanoseconds; none of them is wall time.
public enum MonotonicClock {
    /// Returns the time since a fixed instant before the process began, the same for all processes of the machine.
    ///
    /// It reads `CLOCK_MONOTONIC`.
    public static func now() -> Int { read(CLOCK_MONOTONIC) }

    /// Returns the CPU time of all threads of this process (`CLOCK_PROCESS_CPUTIME_ID`).
    public static func processCPU() -> Int { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Returns the CPU time of the calling thread (`CLOCK_THREAD_CPUTIME_ID`).
    public static func threadCPU() -> Int { read(CLOCK_THREAD_CPUTIME_ID) }

    /// Reads a clock that every kernel has, so that this cannot fail.
    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int(nanoseconds: time)
    }

    /// Blocks the calling thread, so that nothing else runs on it while measuring.
    package static func sleep(nanoseconds: Int) {
        var request = timespec(nanoseconds: nanoseconds)
        var rest = timespec()
        while nanosleep(&request, &rest) != 0 && errno == EINTR { request = rest }
    }
}

extension Int {
    init(nanoseconds time: timespec) { self = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec) }
}

extension timespec {
    /// Creates a time from nanoseconds, which must not be negative.
    init(nanoseconds: Int) { self.init(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000) }
}
