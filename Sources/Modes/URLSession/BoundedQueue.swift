// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A serial queue of limited capacity: adding an operation blocks until there is room.
///
/// URLSession adds an operation for each chunk, on the thread that reads from the network. While that thread waits, the
/// socket's buffer fills up and the other side stops sending.
package final class BoundedQueue: OperationQueue, @unchecked Sendable {
    // Unchecked: the mutable state is used under the condition's lock.
    private let condition = NSCondition()
    private let capacity: Int
    private var count = 0
    private var openings = 0

    package init(capacity: Int) {
        self.capacity = capacity
        super.init()
        maxConcurrentOperationCount = 1
    }

    package override func addOperation(_ block: @escaping @Sendable () -> Void) {
        condition.lock()
        while count >= capacity, openings == 0 { condition.wait() }
        count += 1
        condition.unlock()
        super.addOperation { [self] in
            block()
            condition.withLock {
                count -= 1
                condition.signal()
            }
        }
    }

    /// Runs `work` while the queue accepts every operation.
    ///
    /// Cancelling a task waits for the adding thread, and the queue's own thread may wait for the canceller.
    package func withoutLimit(_ work: () -> Void) {
        condition.withLock {
            openings += 1
            condition.broadcast()
        }
        work()
        condition.withLock { openings -= 1 }
    }
}
