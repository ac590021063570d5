// SPDX-License-Identifier: Apache-2.0

import CCurl
import FoundationEssentials
import Synchronization
package import TrialKit

/// The modes on libcurl, in the order of `fetchbench list`; a new mode is a type and a line here.
package enum CurlCatalog {
    package static let all: [any FetchMode] = [CurlStreamMode()]
}

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
        .http2, .http1Only,
    ]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { CurlFetcher(settings) }
}

/// Fetches with libcurl easy handles, each fetch on its own thread, because Swift's task threads must not block.
///
/// Handles are reused with their connections; there are several only if fetches run at once.
final class CurlFetcher: Fetcher {
    private let settings: FetchSettings
    private let idle = Mutex<[CurlHandle]>([])

    init(_ settings: FetchSettings) { self.settings = settings }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await Cancellation.observed(request) { () async throws(FetchFailure) in
            let isCancelled = CurlTransfer.Flag()
            let result = await withTaskCancellationHandler {
                await DetachedThread.result { [self] () throws(FetchFailure) in
                    try perform(request, until: isCancelled)
                }
            } onCancel: {
                isCancelled.raise()
            }
            return try result.get()
        }
    }

    func invalidate() async { idle.withLock { $0 = [] } }

    private func perform(
        _ request: FetchRequest, until isCancelled: CurlTransfer.Flag
    ) throws(FetchFailure) -> FetchedBody {
        let kept = idle.withLock { $0.popLast() }
        let handle = if let kept { kept } else { try CurlHandle.make() }
        defer { idle.withLock { $0.append(handle) } }
        return try CurlTransfer(handle, settings, until: isCancelled).perform(request)
    }
}
