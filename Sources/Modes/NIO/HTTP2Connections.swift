// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import TrialKit

/// The HTTP/2 connections of a fetcher, one for each address; every request is a stream of one of them.
actor HTTP2Connections {
    private struct Connection: Sendable {
        var channel: any Channel
        var streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
    }

    private let idle: TimeAmount
    private var connections: [String: Task<Connection, any Error>] = [:]

    init(_ settings: FetchSettings) {
        idle = .seconds(Int64(settings.idleTimeoutSeconds))
    }

    /// Opens a stream, on a new connection if there is none yet or if the last one has closed.
    func stream(to host: String, port: Int, _ tls: NIOSSLContext, name: String?) async throws -> NIOConnector.Connection
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

    /// Closes the connections.
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
