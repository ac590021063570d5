// SPDX-License-Identifier: Apache-2.0

import TrialKit

struct NIOStreamMode: FetchMode {
    let name = "nio-stream"
    let summary = "SwiftNIO channel, async sequence of buffers: hashed and written to a file"
    let caveat: String? =
        "back-pressure; a connection for each fetch (HTTP/2: a stream), on threads that stand ready before the baseline; no redirects"
    let abilities: Set<ModeAbility> = [
        .concurrency, .pieces, .file, .slowConsumer, .cancellation, .resuming, .requestDetails,
        .http2,
    ]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        NIOFetcher(mode: name, settings)
    }

    func makeRelay(_ settings: FetchSettings) -> any Relay {
        NIORelay(mode: name, settings)
    }
}
