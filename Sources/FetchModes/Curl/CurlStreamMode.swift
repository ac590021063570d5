// SPDX-License-Identifier: Apache-2.0

package import FetchBenchKit

/// An easy handle of libcurl: piece by piece, hashed and written to a file.
package struct CurlStreamMode: FetchMode {
    package let name = "curl-stream"
    package let summary = "libcurl easy handle, write callback: hashed and written to a file"
    package let caveat: String? =
        "back-pressure: libcurl waits for its callback; a thread for each fetch; the libcurl of the system"
    package let schemes: Set<String> = ["http", "https"]
    package let yieldsBody = true
    package let abilities: Set<ModeAbility> = [.concurrency, .slowConsumer, .gzip]
    private let beforePiece: (@Sendable () -> Void)?

    /// Makes the mode, with something that holds its consumer up where that is wanted.
    package init(beforePiece: (@Sendable () -> Void)? = nil) {
        self.beforePiece = beforePiece
    }

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        CurlFetcher(settings, beforePiece: beforePiece)
    }
}
