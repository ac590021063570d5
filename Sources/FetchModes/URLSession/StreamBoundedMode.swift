// SPDX-License-Identifier: Apache-2.0

package import FetchBenchKit

/// A data task with a delegate on a queue that refuses to grow: back-pressure where URLSession has none.
package struct StreamBoundedMode: FetchMode {
    package let name = "stream-bounded"
    package let summary = "stream on a delegate queue that holds 8 chunks at most: back-pressure"
    package let caveat: String? =
        "while the queue is full, every URLSession of the process waits, and whoever starts a task of one"
    package let schemes: Set<String> = ["http", "https"]
    package let yieldsBody = true
    private let beforeChunk: (@Sendable () -> Void)?

    /// Makes the mode, with something that slows its consumer down where that is wanted.
    package init(beforeChunk: (@Sendable () -> Void)? = nil) {
        self.beforeChunk = beforeChunk
    }

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings, queue: BoundedQueue(capacity: 8), beforeChunk: beforeChunk) {
            request throws(FetchFailure) in
            try StreamedBody(to: request.destination, verifiedBy: settings.verification)
        }
    }
}
