// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOModes
import Synchronization
package import TrialKit

/// The modes on AsyncHTTPClient, in the order of `fetchbench list`; a new mode is a type and a line here.
package enum AsyncHTTPClientCatalog {
    package static let all: [any FetchMode] = [
        AHCStreamMode(),
        AHCCollectMode(),
        AHCFileMode(),
    ]
}

struct AHCStreamMode: FetchMode {
    let name = "ahc-stream"
    let summary = "AsyncHTTPClient, async sequence of buffers: hashed and written to a file"
    let caveat: String? =
        "back-pressure; a thread for each core stands ready before the baseline; follows 5 redirects, not 20"
    let abilities: Set<ModeAbility> = [
        .concurrency, .connectionLimit, .pieces, .file, .slowConsumer, .gzip, .cancellation, .resuming,
        .requestDetails, .http2, .http1Only,
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
}

struct AHCCollectMode: FetchMode {
    let name = "ahc-collect"
    let summary = "AsyncHTTPClient, collect(upTo:): the whole body as ByteBuffer"
    let caveat: String? = "the buffer grows by doubling, and holds 4 GiB at most; follows 5 redirects, not 20"
    let abilities: Set<ModeAbility> = [
        .concurrency, .connectionLimit, .gzip, .cancellation, .requestDetails, .http2, .http1Only,
    ]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        HTTPClientFetcher(settings) { response, _ in
            // One byte more than a ByteBuffer can count would trap instead of throwing.
            let buffer = try await response.body.collect(upTo: Int(UInt32.max))
            return FetchedBody(content: .memory(CollectedBuffer(buffer: buffer)), byteCount: buffer.readableBytes)
        }
    }

    private struct CollectedBuffer: ContiguousBytes, Sendable {
        let buffer: ByteBuffer

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try buffer.withUnsafeReadableBytes(body)
        }
    }
}

struct AHCFileMode: FetchMode {
    let name = "ahc-file"
    let summary = "AsyncHTTPClient, FileDownloadDelegate: to a file"
    let caveat: String? =
        "the delegate does not empty a file that is there already: this mode removes it first; follows 5 redirects"
    let abilities: Set<ModeAbility> = [
        .concurrency, .connectionLimit, .file, .gzip, .cancellation, .requestDetails, .http2, .http1Only,
    ]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { AHCFileFetcher(settings) }

    private final class AHCFileFetcher: Fetcher, HTTPClientOwner {
        let client: HTTPClient
        private let settings: FetchSettings

        init(_ settings: FetchSettings) {
            client = .forTrial(settings)
            self.settings = settings
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            try SchemeCheck.check(request.url)
            return try await Cancellation.observed(request) { () async throws(FetchFailure) in
                try await perform(request)
            }
        }

        private func perform(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            let seen = SeenHead()
            do {
                let byteCount = try await download(request, seen)
                guard request.method == .get else { return .nothing }
                // The library opens a file for the first bytes, so there is none of an empty body.
                if byteCount == 0 { _ = try BodyFile(creating: request.destination) }
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

        func forget() { head.withLock { $0 = (0, nil) } }

        func note(_ answer: HTTPResponseHead) {
            head.withLock { $0 = (Int(answer.status.code), answer.headers.first(name: "Location")) }
        }
    }
}
