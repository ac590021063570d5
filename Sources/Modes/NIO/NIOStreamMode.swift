// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOHTTP1
package import TrialKit

/// The modes on SwiftNIO, in the order of `fetchbench list`; a new mode is a type and a line here.
package enum NIOCatalog {
    package static let all: [any FetchMode] = [NIOStreamMode()]
}

struct NIOStreamMode: FetchMode {
    let name = "nio-stream"
    let summary = "SwiftNIO channel, async sequence of buffers: hashed and written to a file"
    let caveat: String? =
        "back-pressure; a connection for each fetch (HTTP/2: a stream), on threads that stand ready before the baseline; no redirects"
    let abilities: Set<ModeAbility> = [
        .concurrency, .pieces, .file, .slowConsumer, .cancellation, .resuming, .requestDetails,
        .http2, .http1Only,
    ]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        NIOFetcher(mode: name, settings)
    }
}

/// Fetches through a channel of SwiftNIO, a new one for each request.
final class NIOFetcher: Fetcher {
    private let mode: String
    private let settings: FetchSettings
    private let connector: NIOConnector
    private let delay: ConsumerDelay
    private let sentBody: ByteBuffer?

    init(mode: String, _ settings: FetchSettings) {
        (self.mode, self.settings) = (mode, settings)
        connector = NIOConnector(settings)
        delay = ConsumerDelay(settings)
        sentBody = (settings.target?.body).map { ByteBuffer(bytes: $0) }
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await Cancellation.observed(request) { () async throws(FetchFailure) in try await perform(request) }
    }

    func invalidate() async { await connector.close() }

    private func perform(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        guard let authority = request.authority else { throw FetchFailure(.unsupportedScheme, "the URL has no host") }
        let carried = settings.carried(by: request)
        do {
            let channel = try await connector.connect(to: request.url)
            return try await channel.executeThenClose { inbound, outbound in
                let head = Self.head(of: request, to: authority, carrying: carried)
                await outbound.send(head, carried?.body == nil ? nil : sentBody)
                return try await self.body(of: request, from: inbound)
            }
        } catch {
            throw FetchFailure(ofNIO: error, afterHead: false)
        }
    }

    private func body(
        of request: FetchRequest, from inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> FetchedBody {
        var status = 0
        var body: StreamedBody?
        do {
            for try await part in inbound {
                switch part {
                case .head(let head):
                    status = Int(head.status.code)
                    try StatusCheck.check(status, inModeWithoutRedirects: mode, resuming: request.resumption)
                    let said = BodyHead(status: status) { head.headers.first(name: $0) }
                    guard request.method == .get else { return try said.body(of: request) }
                    body = try StreamedBody(for: request, verifiedBy: settings.verification)
                    try body?.begin(said)
                case .body(let buffer):
                    try await delay.pause()
                    try body?.take(buffer)
                case .end:
                    return body?.finished() ?? .nothing
                }
            }
        } catch {
            throw FetchFailure(ofNIO: error, afterHead: status != 0)
        }
        throw FetchFailure.connectionEnded(afterHead: status != 0)
    }

    static func head(
        of request: FetchRequest, to authority: String, carrying target: TargetRequest?
    ) -> HTTPRequestHead {
        var headers = HTTPHeaders([("Host", authority)])
        let fields = request.fields(acceptingGzip: false, carrying: target)
        headers.add(contentsOf: fields.map { ($0.name, $0.value) })
        if let length = target?.contentLength { headers.add(name: "Content-Length", value: "\(length)") }
        headers.add(name: "Connection", value: "close")
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(of: request, carrying: target), uri: request.target,
            headers: headers)
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
