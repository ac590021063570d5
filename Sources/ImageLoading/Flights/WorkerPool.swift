// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// A few threads for what blocks, or must not be limited by the number of cores; they are made when they are needed
/// first, and end with the pool.
///
/// Swift's tasks share as many threads as the machine has cores: on two of them four decodes at once would be two. And
/// not a thread for each piece of work either: glibc gives threads arenas of their own, and what a decoder has freed in
/// one of them is free for no other.
package final class WorkerPool: Sendable {
    /// Lets something be done by a thread that it makes, or throws where the system gives none.
    package typealias ThreadMaker = @Sendable (@escaping @Sendable () -> Void) throws -> Void

    private let queue: WorkQueue
    private let most: Int
    private let makeThread: ThreadMaker

    /// Creates a pool of so many threads at most.
    /// - Parameter makeThread: The system's, but in a test.
    package init(most: Int, makeThread: @escaping ThreadMaker = DetachedThread.run) {
        precondition(most > 0, "a pool without threads")
        self.most = most
        self.makeThread = makeThread
        queue = WorkQueue()
    }

    deinit {
        queue.close()
    }

    /// Does the work on a thread of the pool and waits for it without one.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            guard queue.add({ continuation.resume(returning: work()) }, most: most) else { return }
            do {
                try makeThread { [queue] in
                    while let work = queue.next() { work() }
                }
            } catch {
                // The system gives no thread: late is better than not at all.
                queue.lostThread()
                while let work = queue.orphan() { work() }
            }
        }
    }
}

/// What a pool's threads have to do, in the order in which it came.
///
/// Unchecked: everything is touched under the mutex.
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

    /// Adds work.
    /// - Returns: Whether a thread has to be made for it.
    func add(_ work: @escaping Work, most: Int) -> Bool {
        locked {
            works.append(work)
            pthread_cond_signal(condition)
            guard idle < works.count, threads < most else { return false }
            threads += 1
            return true
        }
    }

    /// Waits for the next work; `nil` once there is none and the pool is gone.
    func next() -> Work? {
        locked {
            idle += 1
            while works.isEmpty, !isClosed { pthread_cond_wait(condition, mutex) }
            idle -= 1
            return works.isEmpty ? nil : works.removeFirst()
        }
    }

    /// Takes note that a thread could not be made.
    func lostThread() {
        locked { threads -= 1 }
    }

    /// The next work that there is no thread for; `nil` where a thread will come to it.
    func orphan() -> Work? {
        locked { threads == 0 && !works.isEmpty ? works.removeFirst() : nil }
    }

    /// Lets the threads end when nothing is left to do.
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
