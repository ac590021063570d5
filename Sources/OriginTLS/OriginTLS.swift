// SPDX-License-Identifier: Apache-2.0

import COriginCertificate
import NIOCore
import NIOHTTP2
import NIOSSL
package import Origin
import Texts

extension OriginSecurity {
    /// Makes a certificate for `localhost`, 127.0.0.1 and ::1, and TLS with it.
    ///
    /// The authority's key is discarded after one signature; the certificate's key never leaves the process.
    package static func made(offeringHTTP2: Bool) throws -> OriginSecurity {
        var certificate = corigin_certificate()
        guard corigin_certificate_make(lifetime, &certificate), let authority = certificate.authority else {
            throw FetchBenchError("cannot make a certificate: \(reason)")
        }
        defer { corigin_certificate_release(&certificate) }
        do {
            let http1 = try context(certificate, protocols: ["http/1.1"])
            let prepareHTTP1: Setup = { channel, pipeline in
                channel.eventLoop.makeCompletedFuture {
                    try addTLS(http1, to: channel)
                    try pipeline.addHTTP1(to: channel)
                }
            }
            let http2 = try context(certificate, protocols: ["h2", "http/1.1"])
            let prepareHTTP2: Setup = { prepareNegotiated($0, $1, http2) }
            return OriginSecurity(
                authorityPEM: String(cString: authority), prepareHTTP1: prepareHTTP1,
                prepareHTTP2: offeringHTTP2 ? prepareHTTP2 : nil)
        } catch {
            throw FetchBenchError("cannot use the certificate: \(error)")
        }
    }

    private static let lifetime: CInt = 30

    private static func context(_ made: corigin_certificate, protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(bytes(made.certificate)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: bytes(made.key), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        text.map { Array(String(cString: $0).utf8) } ?? []
    }

    private static var reason: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            corigin_certificate_reason(start, UInt(buffer.count))
            return String(cString: start)
        }
    }

    private static func addTLS(_ context: NIOSSLContext, to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context), name: handlerName)
    }
}

// MARK: - HTTP/2

extension OriginSecurity {
    /// Speaks HTTP/2 or HTTP/1.1, as the client negotiates by ALPN.
    private static func prepareNegotiated(
        _ channel: any Channel, _ pipeline: OriginServer.Pipeline, _ context: NIOSSLContext
    ) -> EventLoopFuture<Void> {
        do {
            try addTLS(context, to: channel)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2SecureUpgrade(
            h2ChannelConfigurator: { channel in
                channel.eventLoop.makeCompletedFuture { try addHTTP2(to: channel, pipeline) }
            },
            http1ChannelConfigurator: pipeline.configurePlain)
    }

    /// Handles each stream like a connection with one request.
    private static func addHTTP2(to channel: any Channel, _ pipeline: OriginServer.Pipeline) throws {
        let connection = pipeline.makeConnection()
        connection.opened()
        channel.closeFuture.assumeIsolated().whenComplete { _ in connection.closed() }
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: connectionConfiguration,
            streamConfiguration: streamConfiguration
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(HTTP2FramePayloadToHTTP1ServerCodec())
                try stream.pipeline.syncOperations.addHandler(pipeline.makeHandler(bound.value))
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
        configuration.outboundBufferSizeHighWatermark = OriginServer.outboundLimit.high
        configuration.outboundBufferSizeLowWatermark = OriginServer.outboundLimit.low
        configuration.streamResetFrameRateLimit.maximumCount = .max
        configuration.streamErrorRateLimit.maximumCount = .max
        return configuration
    }()
}
