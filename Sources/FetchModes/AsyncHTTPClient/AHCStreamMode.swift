// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
package import FetchBenchKit
import NIOCore

/// The body of AsyncHTTPClient as an async sequence: buffer by buffer, hashed and written to a file.
package struct AHCStreamMode: FetchMode {
    package let name = "ahc-stream"
    package let summary = "AsyncHTTPClient, async sequence of buffers: hashed and written to a file"
    package let caveat: String? =
        "back-pressure; a thread for each core stands ready before the baseline; follows 5 redirects, not 20"
    package let schemes: Set<String> = ["http", "https"]
    package let yieldsBody = true
    package let abilities: Set<ModeAbility> = [.concurrency, .slowConsumer, .gzip]
    private let beforePiece: (@Sendable () async -> Void)?

    /// Makes the mode, with something that holds its consumer up where that is wanted.
    package init(beforePiece: (@Sendable () async -> Void)? = nil) {
        self.beforePiece = beforePiece
    }

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        let pace = ConsumerPace(settings)
        return HTTPClientFetcher(settings) { [beforePiece] response, request in
            var body = try StreamedBody(to: request.destination, verifiedBy: settings.verification)
            for try await buffer in response.body {
                await beforePiece?()
                try await pace.pause()
                try body.take(buffer)
            }
            return body.finished()
        }
    }
}
