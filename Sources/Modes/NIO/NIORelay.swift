// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOHTTP1
package import TrialKit

/// Relays bodies buffer by buffer, each through its own SwiftNIO channel; a full sink holds the origin up.
final class NIORelay: Relay {
    let remark: String? = nil
    private let mode: String
    private let settings: FetchSettings
    private let connector: NIOConnector

    init(mode: String, _ settings: FetchSettings) {
        (self.mode, self.settings) = (mode, settings)
        connector = NIOConnector(settings)
    }

    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        try SchemeCheck.check(request.url)
        guard let authority = request.authority else { throw FetchFailure(.unsupportedScheme, "the URL has no host") }
        let carried = settings.carried(by: request)
        do {
            let channel = try await connector.connect(to: request.url)
            try await channel.executeThenClose { inbound, outbound in
                let head = NIOFetcher.head(of: request, to: authority, carrying: carried)
                await outbound.send(head, carried?.body.map { ByteBuffer(bytes: $0) })
                try await pass(inbound, to: sink)
            }
        } catch {
            throw FetchFailure(ofNIO: error, afterHead: false)
        }
    }

    func invalidate() async { await connector.close() }

    private func pass(
        _ inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>, to sink: any BodySink
    ) async throws {
        var isAfterHead = false
        do {
            for try await part in inbound {
                switch part {
                case .head(let head):
                    isAfterHead = true
                    try StatusCheck.check(Int(head.status.code), inModeWithoutRedirects: mode)
                    try await sink.begin(byteCount: head.headers.first(name: "Content-Length").flatMap { Int($0) })
                case .body(let buffer): try await sink.send(buffer)
                case .end: return
                }
            }
        } catch {
            throw FetchFailure(ofNIO: error, afterHead: isAfterHead)
        }
        throw FetchFailure.connectionEnded(afterHead: isAfterHead)
    }
}

extension BodySink {
    package func send(_ buffer: ByteBuffer) async throws(FetchFailure) {
        var rest = buffer
        while true {
            // Typed throws do not pass through `withUnsafeReadableBytes`, so the result is carried out.
            let written = try rest.withUnsafeReadableBytes { bytes in
                Result { () throws(FetchFailure) in bytes.isEmpty ? 0 : try write(bytes) }
            }.get()
            rest.moveReaderIndex(forwardBy: written)
            if rest.readableBytes == 0 { return }
            if written == 0 { try await waitForRoom() }
        }
    }
}

extension StreamedBody {
    package mutating func take(_ buffer: ByteBuffer) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeReadableBytes`, so the result is carried out.
        try buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(FetchFailure) in try take(bytes) }
        }.get()
    }
}
