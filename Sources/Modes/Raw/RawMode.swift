// SPDX-License-Identifier: Apache-2.0

import TrialKit

struct RawMode: FetchMode {
    let name = "raw"
    let summary = "a socket and one 64 KiB buffer: hashed and written to a file; the floor of fetching"
    let caveat: String? = """
        HTTP/1.1 with Content-Length or chunked, plain http only, follows no redirects; blocks its thread, so callers \
        cancels it needs another one
        """
    let schemes: Set<String> = ["http"]
    let abilities: Set<ModeAbility> = [.pieces, .file, .slowConsumer, .cancellation, .resuming, .requestDetails]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        RawFetcher(mode: name, keepsBody: true, settings)
    }
}
