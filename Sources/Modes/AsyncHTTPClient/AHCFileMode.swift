// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOModes
import Synchronization
import TrialKit

/// The delegate of AsyncHTTPClient that writes the body to a file.
struct AHCFileMode: FetchMode {
    let name = "ahc-file"
    let summary = "AsyncHTTPClient, FileDownloadDelegate: to a file"
    let caveat: String? =
        "the delegate does not empty a file that is there already: this mode removes it first; follows 5 redirects"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities: Set<ModeAbility> = [.concurrency, .connectionLimit, .gzip, .cancellation]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AHCFileFetcher(settings)
    }
}

private final class AHCFileFetcher: Fetcher {
    private let client: HTTPClient
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        client = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await Cancellation.observed(request) { () async throws(FetchFailure) in try await perform(request) }
    }

    func invalidate() async {
        // Fails only where it was shut down before.
        try? await client.shutdown()
    }

    private func perform(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let seen = SeenStatus()
        do {
            // An older and longer file would keep its tail.
            unlink(request.destination)
            let byteCount = try await download(request, seen)
            guard request.method == .get else { return .nothing }
            guard byteCount > 0 else { throw FetchFailure(.emptyBody, "status \(seen.status), no byte") }
            return FetchedBody(content: .file(path: request.destination), byteCount: byteCount)
        } catch {
            throw FetchFailure(ofHTTPClient: error, afterHead: seen.status != 0)
        }
    }

    /// Writes the body to the request's file and tells its length.
    private func download(_ request: FetchRequest, _ seen: SeenStatus) async throws -> Int {
        let delegate = try FileDownloadDelegate(
            path: request.destination,
            reportHead: { (task: HTTPClient.Task<FileDownloadDelegate.Progress>, head: HTTPResponseHead) in
                seen.status = Int(head.status.code)
                do throws(FetchFailure) {
                    try StatusCheck.check(seen.status)
                } catch {
                    // Before its body, which is no asset, gets a file.
                    task.fail(reason: error)
                }
            })
        let asked = try HTTPClient.Request(
            url: request.url.absoluteString, method: .init(request.method), headers: .init(of: request, settings))
        let task = client.execute(request: asked, delegate: delegate)
        return try await withTaskCancellationHandler {
            try await task.get().receivedBytes
        } onCancel: {
            task.cancel()
        }
    }
}

/// The status of an answer, 0 until its header has arrived.
private final class SeenStatus: Sendable {
    private let code = Atomic(0)

    var status: Int {
        get { code.load(ordering: .relaxed) }
        set { code.store(newValue, ordering: .relaxed) }
    }
}
