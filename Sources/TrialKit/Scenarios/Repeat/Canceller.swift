// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Synchronization

/// Cancels a fetch after a delay, from its own thread, without allocating.
///
/// `Task.sleep` leaves 64 bytes of libdispatch's on the thread that ends it, up to 1,024 times, which looks like a leak.
final class Canceller: Sendable {
    private let fetch = Mutex<CancelledFetch?>(nil)
    private let microseconds: UInt32
    // Unsafe: a semaphore is made for several threads.
    private nonisolated(unsafe) let orders: UnsafeMutablePointer<sem_t>

    init(afterMicroseconds microseconds: UInt32) throws(FetchFailure) {
        self.microseconds = microseconds
        orders = .allocate(capacity: 1)
        sem_init(orders, 0, 0)
        try DetachedThread.run { [self] in run() }
    }

    deinit {
        sem_destroy(orders)
        orders.deallocate()
    }

    /// Cancels a fetch after the delay; one at a time.
    func cancel(_ next: CancelledFetch) {
        fetch.withLock { $0 = next }
        sem_post(orders)
    }

    func finish() {
        sem_post(orders)
    }

    private func run() {
        while true {
            _ = SystemCall.retried { sem_wait(orders) }
            guard let begun = fetch.withLock({ $0.take() }) else { return }
            usleep(microseconds)
            begun.cancel()
        }
    }
}
