// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore

extension ProbeCatalog {
    /// Consumers that take one piece of 64 MiB and then stop reading: all that the origin still sends is buffered.
    static let backPressure = [
        Probe("back-pressure-data") { try blockInData($0, queue: nil) },
        Probe("back-pressure-blocking-queue") { try blockInData($0, queue: WaitingQueue(capacity: 4)) },
        Probe("back-pressure-download") { try blockInDownload($0) },
        Probe("back-pressure-ahc") { context in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let url = try context.url("/bytes/64MiB").absoluteString
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
            var pieces = response.body.makeAsyncIterator()
            _ = try await pieces.next()
            context.mark("blocked", settles: true)
            try await client.shutdown()
        },
    ]

    private static func blockInData(_ context: ProbeContext, queue: OperationQueue?) throws {
        let (first, never) = (Signal(), Signal())
        let delegate = SessionDelegate(onData: { _, _ in
            first.give()
            never.take()
        })
        URLSession.plain(delegate: delegate, queue: queue).dataTask(with: try context.url("/bytes/64MiB")).resume()
        first.take()
        context.mark("blocked", settles: true)
    }

    private static func blockInDownload(_ context: ProbeContext) throws {
        let (first, never) = (Signal(), Signal())
        let delegate = ProbeDownloadDelegate(onProgress: { _, _, _ in
            first.give()
            never.take()
        })
        let session = URLSession.plain(delegate: delegate)
        context.mark("before")
        session.downloadTask(with: try context.url("/bytes/64MiB")).resume()
        first.take()
        context.mark("blocked", settles: true)
    }
}
