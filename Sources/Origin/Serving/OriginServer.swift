// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A running origin: an HTTP server of this machine that serves the assets, over TLS too where that is wanted.
///
/// It counts what it serves, so that a client's claim can be compared with it. It has to be stopped with ``stop()``,
/// because its threads outlive the value.
package final class OriginServer: Sendable {
    /// The bytes that may wait for a client that does not read.
    private static let outboundLimit = ChannelOptions.Types.WriteBufferWaterMark(
        low: 64 * 1024, high: BodySender.unpacedChunkByteCount)

    package let port: Int

    /// The beginning of its URLs, as in `http://127.0.0.1:4711`, without a slash at the end.
    package let baseURL: String

    /// The beginning of its URLs over TLS, or `nil` where it offers none.
    package let secureBaseURL: String?

    /// The certificate of the authority that a client has to trust for TLS, or `nil` where the origin offers none.
    package let certificateAuthorityPEM: String?

    private let group: MultiThreadedEventLoopGroup
    private let pool: NIOThreadPool
    private let ledger: Ledger
    private let isStopped = Mutex(false)

    private init(
        address: String, ports: (plain: Int, secure: Int?), authorityPEM: String?,
        group: MultiThreadedEventLoopGroup, pool: NIOThreadPool, ledger: Ledger
    ) {
        let host = address.contains(":") ? "[\(address)]" : address
        self.port = ports.plain
        self.baseURL = "http://\(host):\(ports.plain)"
        self.secureBaseURL = ports.secure.map { "https://\(host):\($0)" }
        self.certificateAuthorityPEM = authorityPEM
        self.group = group
        self.pool = pool
        self.ledger = ledger
    }

    /// Starts an origin; when this returns, it answers.
    ///
    /// - Throws: ``AssetError/Code/address`` for an address that is not this machine's alone, and
    ///   ``AssetError/Code/network`` where the address cannot be bound or no certificate can be made.
    package static func start(_ configuration: OriginConfiguration) async throws(AssetError) -> OriginServer {
        let address = try configuration.bindAddress()
        var journal: SentJournal?
        if let path = configuration.journalPath { journal = try SentJournal(path: path) }
        let identity = configuration.offersTLS ? try OriginIdentity() : nil
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threadCount)
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let ledger = Ledger(journal: journal)
        let shelf = ImageShelf(library: configuration.library, pool: pool)
        let makeHandler = { @Sendable in OriginHandler(configuration, shelf: shelf, ledger: ledger) }
        do {
            let plain = try await bootstrap(group, nil, makeHandler)
                .bind(host: address, port: configuration.port).get()
            var securePort: Int?
            if let identity {
                securePort = try await bootstrap(group, identity.context, makeHandler)
                    .bind(host: address, port: 0).get().localAddress?.port
            }
            return OriginServer(
                address: address, ports: (plain.localAddress?.port ?? configuration.port, securePort),
                authorityPEM: identity?.authorityPEM, group: group, pool: pool, ledger: ledger)
        } catch {
            try? await pool.shutdownGracefully()
            try? await group.shutdownGracefully()
            throw AssetError(
                .network, "cannot listen on \(address), port \(configuration.port)",
                errno: (error as? IOError)?.errnoCode)
        }
    }

    package func statistics() -> OriginStatistics {
        ledger.statistics
    }

    /// The last 20,000 requests, in the order in which their heads were read.
    ///
    /// A request may be under way here for an instant after its client has all of it: it ends when the kernel has said
    /// that it took the last byte.
    package func requests() -> [RequestRecord] {
        ledger.requests
    }

    /// Closes all connections, those in the middle of a body too, and ends the threads; a second call does nothing.
    ///
    /// - Throws: ``AssetError/Code/network`` where an event loop cannot be ended.
    package func stop() async throws(AssetError) {
        let wasStopped = isStopped.withLock { stopped in
            defer { stopped = true }
            return stopped
        }
        guard !wasStopped else { return }
        ledger.stopping()
        do {
            // The pool first: an image that is being made is handed over to an event loop.
            try await pool.shutdownGracefully()
            try await group.shutdownGracefully()
        } catch {
            throw AssetError(.network, "cannot stop the origin at \(baseURL): \(error)")
        }
    }

    /// How connections are set up, encrypted where there is something to encrypt with.
    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup, _ tls: NIOSSLContext?,
        _ makeHandler: @escaping @Sendable () -> OriginHandler
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: outboundLimit)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(makeHandler())
                }
            }
    }
}
