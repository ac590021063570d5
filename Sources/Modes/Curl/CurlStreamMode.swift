// SPDX-License-Identifier: Apache-2.0

import TrialKit

struct CurlStreamMode: FetchMode {
    let name = "curl-stream"
    let summary = "libcurl easy handle, write callback: hashed and written to a file"
    let caveat: String? = """
        back-pressure: libcurl waits for its callback; a thread for each fetch; the libcurl of the system; its \
        low-speed timer averages, so that it gives up on a silent origin a few seconds later than asked; a \
        cancelled fetch ends within a second; also over HTTP/2 a connection for each fetch
        """
    let abilities: Set<ModeAbility> = [
        .concurrency, .pieces, .file, .slowConsumer, .gzip, .cancellation, .resuming, .requestDetails,
        .http2,
    ]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        CurlFetcher(settings)
    }
}
