// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A serial queue whose `addOperation` blocks while the queue is full.
final class WaitingQueue: OperationQueue, @unchecked Sendable {
    private let room: DispatchSemaphore

    init(capacity: Int) {
        room = DispatchSemaphore(value: capacity)
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        room.wait()
        super.addOperation { [room] in
            block()
            room.signal()
        }
    }
}
