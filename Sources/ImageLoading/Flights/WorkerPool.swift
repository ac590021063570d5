// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// A few threads, created when first needed, for work that blocks or must not be limited by the number of cores.
///
/// Swift's tasks share as many threads as the machine has cores, which would reduce four decodes at once to two on two
/// cores. A thread for each piece of work is unsuitable, too: glibc gives threads their own arenas, and memory freed in
/// one is not available to others.
package final class WorkerPool: Sendable {
    /// Runs a function on a new thread, or throws if the system cannot create one.
    package typealias ThreadMaker = @Sendable (@escaping @Sendable () -> Void) throws -> Void

    private let queue: WorkQueue
    private let most: Int
    private let makeThread: ThreadMaker

    /// Creates a pool of at most so many threads; tests replace `makeThread`.
    package init(most: Int, makeThread: @escaping ThreadMaker = DetachedThread.run) {
        precondition(most > 0, "a pool without threads")
        (self.most, self.makeThread) = (most, makeThread)
        queue = WorkQueue()
    }

    deinit { queue.close() }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            guard queue.add({ continuation.resume(returning: work()) }, most: most) else { return }
            do {
                try makeThread { [queue] in
                    while let work = queue.next() { work() }
                }
            } catch {
                // Without a new thread, existing ones do the work later; without any, this one does it now.
                queue.lostThread()
                while let work = queue.orphan() { work() }
            }
        }
    }

    /// The pending work of a pool, in order of arrival.
    ///
    /// Unchecked: everything is accessed under the mutex.
    private final class WorkQueue: @unchecked Sendable {
        typealias Work = @Sendable () -> Void

        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var works: [Work] = []
        private var idle = 0
        private var threads = 0
        private var isClosed = false

        init() {
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(condition, nil)
        }

        deinit {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(mutex)
            condition.deallocate()
            mutex.deallocate()
        }

        func add(_ work: @escaping Work, most: Int) -> Bool {
            locked {
                works.append(work)
                pthread_cond_signal(condition)
                guard idle < works.count, threads < most else { return false }
                threads += 1
                return true
            }
        }

        /// Waits for the next work; returns `nil` once there is none and the queue is closed.
        func next() -> Work? {
            locked {
                idle += 1
                while works.isEmpty, !isClosed { pthread_cond_wait(condition, mutex) }
                idle -= 1
                return works.isEmpty ? nil : works.removeFirst()
            }
        }

        func lostThread() { locked { threads -= 1 } }

        func orphan() -> Work? {
            locked { threads == 0 && !works.isEmpty ? works.removeFirst() : nil }
        }

        func close() {
            locked {
                isClosed = true
                pthread_cond_broadcast(condition)
            }
        }

        private func locked<Result>(_ body: () -> Result) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return body()
        }
    }
}
