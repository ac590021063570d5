import Glibc

/// The processor time of this process (RUSAGE_SELF), in seconds.
func processorTime() -> Double {
    var usage = rusage()
    getrusage(0, &usage)
    let (user, system) = (usage.ru_utime, usage.ru_stime)
    return Double(user.tv_sec + system.tv_sec) + Double(user.tv_usec + system.tv_usec) / 1e6
}
