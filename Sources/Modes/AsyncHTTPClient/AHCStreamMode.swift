// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOModes
import TrialKit

struct AHCStreamMode: FetchMode {
    let name = "ahc-stream"
    let summary = "AsyncHTTPClient, async sequence of buffers: hashed and written to a file"
    let caveat: String? =
        "back-pressure; a thread for each core stands ready before the baseline; follows 5 redirects, not 20"
    let abilities: Set<ModeAbility> = [
        .concurrency, .connectionLimit, .pieces, .file, .slowConsumer, .gzip, .cancellation, .resuming,
        .requestDetails, .http2,
    ]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        let delay = ConsumerDelay(settings)
        return HTTPClientFetcher(settings) { response, request in
            var body = try StreamedBody(for: request, verifiedBy: settings.verification)
            try body.begin(BodyHead(response))
            for try await buffer in response.body {
                try await delay.pause()
                try body.take(buffer)
            }
            return body.finished()
        }
    }

    func makeRelay(_ settings: FetchSettings) -> any Relay {
        HTTPClientRelay(settings)
    }
}
