// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
package import NIOHTTP1
import NIOHTTP2
import NIOPosix
package import NIOSSL
import Synchronization
package import TrialKit

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

    func close() async { await http2?.close() }

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

    /// The HTTP/2 connections of a fetcher, one for each address; every request is a stream of one of them.
    actor HTTP2Connections {
        private struct Connection: Sendable {
            var channel: any Channel
            var streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
        }

        private let idle: TimeAmount
        private var connections: [String: Task<Connection, any Error>] = [:]

        init(_ settings: FetchSettings) { idle = .seconds(Int64(settings.idleTimeoutSeconds)) }

        /// Opens a stream, on a new connection if there is none yet or if the last one has closed.
        func stream(to host: String, port: Int, _ tls: NIOSSLContext, name: String?) async throws
            -> NIOConnector.Connection
        {
            let address = "\(host):\(port)"
            if let open = connections[address], try await !open.value.channel.isActive { connections[address] = nil }
            let connection =
                connections[address]
                ?? Task { [idle] in
                    try await Self.connect(to: host, port: port, tls, name: name, within: idle)
                }
            connections[address] = connection
            do {
                return try await connection.value.streams.openStream { [idle] stream in
                    stream.eventLoop.makeCompletedFuture {
                        let pipeline = stream.pipeline.syncOperations
                        try pipeline.addHandler(HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https))
                        try pipeline.addHandlers(IdleStateHandler(readTimeout: idle), IdleTimeoutHandler())
                        return try NIOConnector.Connection(wrappingChannelSynchronously: stream)
                    }
                }
            } catch {
                connections[address] = nil
                throw error
            }
        }

        func close() async {
            let all = connections.values
            connections = [:]
            for connection in all { try? await connection.value.channel.close() }
        }

        private static func connect(
            to host: String, port: Int, _ tls: NIOSSLContext, name: String?, within idle: TimeAmount
        ) async throws -> Connection {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(idle)
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
                        // The origin pushes nothing, and a stream that it opened would be closed.
                        let streams = try pipeline.configureAsyncHTTP2Pipeline(mode: .client) { $0.close() }
                        return Connection(channel: channel, streams: streams)
                    }
                }
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
}

extension NIOAsyncChannelOutboundWriter<HTTPClientRequestPart> {
    /// Sends a request; a connection that has failed already throws when it is read.
    func send(_ head: HTTPRequestHead, _ body: ByteBuffer?) async {
        try? await write(.head(head))
        if let body { try? await write(.body(.byteBuffer(body))) }
        try? await write(.end(nil))
    }
}

extension TLSConfiguration {
    /// The library's default configuration, which trusts the trial's certificate authority, if there is one.
    package static func forTrial(_ settings: FetchSettings) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let path = settings.certificateAuthorityPath { configuration.trustRoots = .file(path) }
        if settings.http == .http2 { configuration.applicationProtocols = ["h2"] }
        return configuration
    }
}

extension HTTPMethod {
    package init(of request: FetchRequest, carrying target: TargetRequest?) {
        self.init(rawValue: target?.method ?? request.method.rawValue)
    }
}

extension FetchFailure {
    /// Converts an error of SwiftNIO; a connection that ends after the response's head has truncated the body.
    package init(ofNIO error: any Error, afterHead: Bool) {
        switch error {
        case let failure as FetchFailure: self = failure
        case let error as NIOConnectionError: self.init(error)
        case let error as IOError: self.init(errno: error.errnoCode, "the connection or the file failed")
        case HTTPParserError.invalidEOFState: self = .connectionEnded(afterHead: afterHead)
        case let error as HTTPParserError: self.init(.malformedResponse, "not an HTTP response: \(error)")
        case ChannelError.connectTimeout: self.init(.idleTimeout, "no connection within the time-out")
        case ChannelError.inputClosed, ChannelError.ioOnClosedChannel, ChannelError.eof, ChannelError.alreadyClosed:
            self = .connectionEnded(afterHead: afterHead)
        case NIOSSLError.uncleanShutdown: self = .connectionEnded(afterHead: afterHead)
        case is NIOHTTP2Errors.StreamClosed: self = .connectionEnded(afterHead: afterHead)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.tls, "TLS failed: \(Self.firstLine(of: error))")
        case is NIOTooManyBytesError: self.init(.other, "the body does not fit in one ByteBuffer")
        default: self.init(.other, "\(type(of: error))")
        }
    }

    package static func connectionEnded(afterHead: Bool) -> FetchFailure {
        afterHead
            ? FetchFailure(.truncatedBody, "the connection ended within the body")
            : FetchFailure(.connectionLost, "the connection ended without an answer")
    }

    /// Converts the error of the first attempt to connect; without any, the host has no address.
    private init(_ error: NIOConnectionError) {
        if let attempt = error.connectionErrors.first?.error {
            switch attempt {
            case let error as IOError: self.init(errno: error.errnoCode, "connecting failed")
            default: self.init(ofNIO: attempt, afterHead: false)
            }
        } else {
            self.init(.hostNotFound, "the host has no address")
        }
    }

    /// BoringSSL's message without the location in its sources.
    private static func firstLine(of error: any Error) -> String {
        let words = "\(error)".split(separator: " ").prefix { !$0.hasPrefix("/") && $0 != "at" }
        return words.joined(separator: " ")
    }
}
