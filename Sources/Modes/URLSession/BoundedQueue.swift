// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation

/// A serial queue that holds so many operations at most: whoever adds one more waits until there is room.
///
/// URLSession adds an operation for each chunk, on the thread that reads from the network. While that thread waits,
/// the socket's buffer fills up and the other side stops sending.
package final class BoundedQueue: OperationQueue, @unchecked Sendable {
    private let room: DispatchSemaphore

    /// Makes an empty queue.
    package init(capacity: Int) {
        room = DispatchSemaphore(value: capacity)
        super.init()
        maxConcurrentOperationCount = 1
    }

    package override func addOperation(_ block: @escaping @Sendable () -> Void) {
        room.wait()
        super.addOperation { [room] in
            block()
            room.signal()
        }
    }
}
