// SPDX-License-Identifier: Apache-2.0

package import Foundation
import TrialKit

struct StreamMode: FetchMode {
    let name = "stream"
    let summary = "URLSession delegate, chunk by chunk: hashed and written to a file"
    let caveat: String? = "no back-pressure: a consumer slower than the network collects the body in memory"
    let abilities: Set<ModeAbility> = .ofSessionInPieces.union([.pieces, .file, .resuming])
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings) { request throws(FetchFailure) in
            try StreamedBody(for: request, verifiedBy: settings.verification)
        }
    }
}

struct StreamBoundedMode: FetchMode {
    let name = "stream-bounded"
    let summary = "stream on a delegate queue that holds 8 chunks at most: back-pressure"
    let caveat: String? =
        "while the queue is full, every URLSession of the process waits, as do callers that start a task"
    let abilities: Set<ModeAbility> = .ofSessionInPieces.union([.pieces, .file, .resuming])
    let hashesOnTheWay = true

    private static let mostChunks = 8

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings, queue: BoundedQueue(capacity: Self.mostChunks)) { request throws(FetchFailure) in
            try StreamedBody(for: request, verifiedBy: settings.verification)
        }
    }
}

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
