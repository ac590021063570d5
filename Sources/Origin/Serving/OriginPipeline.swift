// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL

/// The handlers of a connection: HTTP/1.1, the same over TLS, or what a client negotiates over TLS.
struct OriginPipeline: Sendable {
    let ledger: Ledger
    /// Makes the handler of a connection, or of a stream of the given one.
    let makeHandler: @Sendable (OriginConnection?) -> OriginHandler

    func configurePlain(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture { try addHTTP1(to: channel) }
    }

    func configureTLS(_ channel: any Channel, _ context: NIOSSLContext) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            try addHTTP1(to: channel)
        }
    }

    /// Speaks HTTP/2 or HTTP/1.1, as the client negotiates by ALPN.
    func configureHTTP2(_ channel: any Channel, _ context: NIOSSLContext) -> EventLoopFuture<Void> {
        do {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2SecureUpgrade(
            h2ChannelConfigurator: { channel in channel.eventLoop.makeCompletedFuture { try addHTTP2(to: channel) } },
            http1ChannelConfigurator: configurePlain)
    }

    private func addHTTP1(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(makeHandler(nil))
    }

    /// Handles each stream like a connection with one request.
    private func addHTTP2(to channel: any Channel) throws {
        let connection = OriginConnection(ledger)
        connection.opened()
        channel.closeFuture.assumeIsolated().whenComplete { _ in connection.closed() }
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: Self.connectionConfiguration,
            streamConfiguration: Self.streamConfiguration
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(HTTP2FramePayloadToHTTP1ServerCodec())
                try stream.pipeline.syncOperations.addHandler(makeHandler(bound.value))
            }
        }
    }

    /// The library's defaults, without limits against attacks: a client that cancels thousands of fetches is measured.
    private static let connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration = {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.maximumRecentlyResetStreams = 10_000
        configuration.controlFrameRateLimit.maximumCount = .max
        return configuration
    }()

    /// The bytes that may be queued for one stream, and no limits against attacks.
    private static let streamConfiguration: NIOHTTP2Handler.StreamConfiguration = {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.outboundBufferSizeHighWatermark = BodySender.unpacedChunkByteCount
        configuration.outboundBufferSizeLowWatermark = 64 * 1024
        configuration.streamResetFrameRateLimit.maximumCount = .max
        configuration.streamErrorRateLimit.maximumCount = .max
        return configuration
    }()
}
