// SPDX-License-Identifier: Apache-2.0

package import FetchBenchKit

/// A channel of SwiftNIO: buffer by buffer, hashed and written to a file.
package struct NIOStreamMode: FetchMode {
    package let name = "nio-stream"
    package let summary = "SwiftNIO channel, async sequence of buffers: hashed and written to a file"
    package let caveat: String? =
        "back-pressure; a connection for each fetch, on threads that stand ready before the baseline; no redirects"
    package let schemes: Set<String> = ["http", "https"]
    package let yieldsBody = true
    package let abilities: Set<ModeAbility> = [.concurrency, .slowConsumer]
    private let beforePiece: (@Sendable () async -> Void)?

    /// Makes the mode, with something that holds its consumer up where that is wanted.
    package init(beforePiece: (@Sendable () async -> Void)? = nil) {
        self.beforePiece = beforePiece
    }

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        NIOFetcher(settings, beforePiece: beforePiece)
    }
}
