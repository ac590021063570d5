// SPDX-License-Identifier: Apache-2.0

package import FetchBenchKit

/// A data task with a delegate: chunk by chunk, hashed and written to a file.
package struct StreamMode: FetchMode {
    package let name = "stream"
    package let summary = "URLSession delegate, chunk by chunk: hashed and written to a file"
    package let caveat: String? = "no back-pressure: a consumer slower than the network collects the body in memory"
    package let schemes: Set<String> = ["http", "https"]
    package let yieldsBody = true
    private let beforeChunk: (@Sendable () -> Void)?

    /// Makes the mode, with something that slows its consumer down where that is wanted.
    package init(beforeChunk: (@Sendable () -> Void)? = nil) {
        self.beforeChunk = beforeChunk
    }

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings, beforeChunk: beforeChunk) { request throws(FetchFailure) in
            try StreamedBody(to: request.destination, verifiedBy: settings.verification)
        }
    }
}
