// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit

/// Fetches nothing: what its trials show is the floor of the method.
struct NoneMode: FetchMode {
    let name = "none"
    let summary = "no fetch at all: the floor of the method, in every plan"
    let caveat: String? = nil
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = false

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        NoFetcher()
    }
}

private final class NoFetcher: Fetcher {
    func fetch(_ request: FetchRequest) async -> FetchedBody { .nothing }

    func invalidate() async {}
}
