// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The clocks of measuring, all in nanoseconds and none of them wall time.
public enum MonotonicClock {
    /// The time since some instant before the process began, the same instant for every process of the machine.
    ///
    /// The corresponding clock is `CLOCK_MONOTONIC`.
    public static func now() -> Int {
        read(CLOCK_MONOTONIC)
    }

    /// The CPU time of this process, all threads together.
    ///
    /// The corresponding clock is `CLOCK_PROCESS_CPUTIME_ID`.
    public static func processCPU() -> Int {
        read(CLOCK_PROCESS_CPUTIME_ID)
    }

    /// The CPU time of the calling thread.
    ///
    /// The corresponding clock is `CLOCK_THREAD_CPUTIME_ID`.
    public static func threadCPU() -> Int {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    /// Reads a clock that every kernel has, so that reading it cannot fail.
    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int(nanoseconds: time)
    }

    /// Blocks the calling thread, which is what a measurement wants: nothing else may run on it meanwhile.
    package static func sleep(nanoseconds: Int) {
        var request = timespec(nanoseconds: nanoseconds)
        var rest = timespec()
        while nanosleep(&request, &rest) != 0 && errno == EINTR {
            request = rest
        }
    }
}

extension Int {
    /// Creates a number of nanoseconds.
    init(nanoseconds time: timespec) {
        self = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

extension timespec {
    /// Creates a time from a number of nanoseconds that is not negative.
    init(nanoseconds: Int) {
        self.init(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }
}
