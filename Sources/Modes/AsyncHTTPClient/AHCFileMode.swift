// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOModes
import Synchronization
import TrialKit

struct AHCFileMode: FetchMode {
    let name = "ahc-file"
    let summary = "AsyncHTTPClient, FileDownloadDelegate: to a file"
    let caveat: String? =
        "the delegate does not empty a file that is there already: this mode removes it first; follows 5 redirects"
    let abilities: Set<ModeAbility> = [
        .concurrency, .connectionLimit, .file, .gzip, .cancellation, .requestDetails, .http2,
    ]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AHCFileFetcher(settings)
    }
}

private final class AHCFileFetcher: Fetcher, HTTPClientOwner {
    let client: HTTPClient
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        client = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await Cancellation.observed(request) { () async throws(FetchFailure) in try await perform(request) }
    }

    private func perform(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let seen = SeenHead()
        do {
            let byteCount = try await download(request, seen)
            guard request.method == .get else { return .nothing }
            guard byteCount > 0 else { throw FetchFailure(.emptyBody, "status \(seen.status), no byte") }
            return FetchedBody(content: .file(path: request.destination), byteCount: byteCount)
        } catch {
            throw FetchFailure(ofHTTPClient: error, afterHead: seen.status != 0)
        }
    }

    /// Writes the body to the request's file, follows the redirects that the library does not, and returns its length.
    private func download(_ request: FetchRequest, _ seen: SeenHead) async throws -> Int {
        var chain = RedirectChain(request, settings, atMost: RedirectChain.usualLimit)
        while true {
            do {
                return try await download(chain, seen)
            } catch {
                guard settings.target != nil, try chain.follow(status: seen.status, location: seen.location) else {
                    throw error
                }
            }
        }
    }

    private func download(_ chain: RedirectChain, _ seen: SeenHead) async throws -> Int {
        seen.forget()
        // An older and longer file would keep its tail.
        unlink(chain.request.destination)
        let delegate = try FileDownloadDelegate(
            path: chain.request.destination,
            reportHead: { (task: HTTPClient.Task<FileDownloadDelegate.Progress>, head: HTTPResponseHead) in
                seen.note(head)
                do throws(FetchFailure) {
                    try StatusCheck.check(seen.status)
                } catch {
                    // Before the body, which is not the asset, gets a file.
                    task.fail(reason: error)
                }
            })
        let asked = try HTTPClient.Request(
            url: chain.request.url.absoluteString, method: .init(of: chain.request, carrying: chain.target),
            headers: .init(of: chain, settings), body: chain.target?.body.map { .bytes($0) })
        let task = client.execute(request: asked, delegate: delegate)
        return try await withTaskCancellationHandler {
            try await task.get().receivedBytes
        } onCancel: {
            task.cancel()
        }
    }
}

/// The head of a response; the status is 0 until it arrives.
private final class SeenHead: Sendable {
    private let head = Mutex<(status: Int, location: String?)>((0, nil))

    var status: Int { head.withLock { $0.status } }

    var location: String? { head.withLock { $0.location } }

    /// Forgets the response to an earlier request.
    func forget() {
        head.withLock { $0 = (0, nil) }
    }

    func note(_ answer: HTTPResponseHead) {
        head.withLock { $0 = (Int(answer.status.code), answer.headers.first(name: "Location")) }
    }
}
