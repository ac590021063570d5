// SPDX-License-Identifier: Apache-2.0

import TinyHTTP
import TrialKit

/// The whole body in memory: the hungry one.
struct LoadMode: FetchMode {
    let name = "tiny-load"
    let summary = "TinyHTTP, load(): the whole body as an array"
    let caveat: String? = "plain http with a Content-Length; follows no redirects; a thread a fetch"
    let schemes: Set<String> = ["http"]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { LoadFetcher(settings) }
}

private final class LoadFetcher: Fetcher {
    private let client: TinyClient

    init(_ settings: FetchSettings) {
        client = TinyClient(timeoutSeconds: settings.idleTimeoutSeconds)
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let (host, port) = try request.place()
        // The client blocks: on a thread of Swift's tasks, no more fetches could run at once than there are processors.
        let (answer, body) = try await DetachedThread.value { [client] () throws(FetchFailure) in
            try FetchFailure.translating { try client.load(host: host, port: port, target: request.target) }
        }
        try StatusCheck.check(answer.status, inModeWithoutRedirects: "tiny-load")
        return FetchedBody(content: .memory(body), byteCount: body.count)
    }

    func invalidate() async {}
}
