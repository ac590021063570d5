// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOCore
import TrialKit

struct AHCCollectMode: FetchMode {
    let name = "ahc-collect"
    let summary = "AsyncHTTPClient, collect(upTo:): the whole body as ByteBuffer"
    let caveat: String? = "the buffer grows by doubling, and holds 4 GiB at most; follows 5 redirects, not 20"
    let abilities: Set<ModeAbility> = [
        .concurrency, .connectionLimit, .gzip, .cancellation, .requestDetails, .http2,
    ]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        HTTPClientFetcher(settings) { response, _ in
            // One byte more than a ByteBuffer can count would trap instead of throwing.
            let buffer = try await response.body.collect(upTo: Int(UInt32.max))
            return FetchedBody(content: .memory(CollectedBuffer(buffer: buffer)), byteCount: buffer.readableBytes)
        }
    }
}

/// Passes a ByteBuffer to render models without copying it.
private struct CollectedBuffer: ContiguousBytes, Sendable {
    let buffer: ByteBuffer

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try buffer.withUnsafeReadableBytes(body)
    }
}
