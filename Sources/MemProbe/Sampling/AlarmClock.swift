// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
