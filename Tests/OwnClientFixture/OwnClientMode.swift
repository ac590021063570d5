// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TrialKit

/// A mode in its short form: a name, a summary and what fetches.
struct OwnClientMode: FetchMode {
    let name: String
    let summary: String
    let keeping: OwnClient.Keeping

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { OwnFetcher(OwnClient(keeping)) }
}

private final class OwnFetcher: Fetcher {
    private let client: OwnClient

    init(_ client: OwnClient) {
        self.client = client
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let body = try await DetachedThread.value { [client] () throws(FetchFailure) in
            try client.body(of: request.url)
        }
        return FetchedBody(content: .memory(body), byteCount: body.count)
    }

    func invalidate() async {}
}

/// The same client on the thread of Swift's task, which a mode has to declare.
struct BlockingMode: FetchMode {
    let name: String
    let summary = "a client that blocks its thread"
    let abilities: Set<ModeAbility>

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { BlockingFetcher() }

    private final class BlockingFetcher: Fetcher {
        private let client = OwnClient(.nothing)

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            let body = try client.body(of: request.url)
            return FetchedBody(content: .memory(body), byteCount: body.count)
        }

        func invalidate() async {}
    }
}
