// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TrialKit

/// Opens channels of HTTP/1.1, plain or over TLS, or streams of HTTP/2, on the shared default event loops: one thread per core.
final class NIOConnector: Sendable {
    /// A channel that a task reads; unread data holds the other side up.
    typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let settings: FetchSettings
    private let context = Mutex<NIOSSLContext?>(nil)
    private let http2: HTTP2Connections?

    init(_ settings: FetchSettings) {
        self.settings = settings
        http2 = settings.http == .http2 ? HTTP2Connections(settings) : nil
    }

    /// Closes what outlives a request.
    func close() async {
        await http2?.close()
    }

    func connect(to url: URL) async throws -> Connection {
        let isSecure = url.scheme?.lowercased() == "https"
        guard let host = url.host else { throw FetchFailure(.unsupportedScheme, "the URL has no host") }
        let unbracketed = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let tls = isSecure ? try tlsContext() : nil
        if let tls, let http2 {
            let name = Self.serverName(unbracketed)
            return try await http2.stream(to: unbracketed, port: url.port ?? 443, tls, name: name)
        }
        let idle = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(idle)
            .connect(host: unbracketed, port: url.port ?? (isSecure ? 443 : 80)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: Self.serverName(unbracketed)))
                    }
                    try pipeline.addHandlers(IdleStateHandler(readTimeout: idle), IdleTimeoutHandler())
                    try pipeline.addHTTPClientHandlers()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Returns the context, which is made once and only for TLS, because it holds every trusted authority.
    private func tlsContext() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            let made = try NIOSSLContext(configuration: .forTrial(settings))
            context = made
            return made
        }
    }

    /// The host's name for TLS; `nil` for an IP address.
    private static func serverName(_ host: String) -> String? {
        (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }
}

/// Fails a connection that receives nothing for the idle time-out.
final class IdleTimeoutHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        context.fireErrorCaught(FetchFailure(.idleTimeout, "no byte arrived within the time-out"))
        context.close(promise: nil)
    }
}

extension NIOAsyncChannelOutboundWriter<HTTPClientRequestPart> {
    /// Sends a request; a connection that has failed already throws when it is read.
    func send(_ head: HTTPRequestHead, _ body: ByteBuffer?) async {
        try? await write(.head(head))
        if let body { try? await write(.body(.byteBuffer(body))) }
        try? await write(.end(nil))
    }
}
