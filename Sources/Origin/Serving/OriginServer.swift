// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Texts

/// A running origin: an HTTP server on this machine that serves the assets, optionally over TLS too.
///
/// It counts the bytes it serves, to verify a client's claims. ``stop()`` must be called, because the threads outlive
/// the value.
package final class OriginServer: Sendable {
    /// The bytes that may be queued for a client that does not read.
    package static let outboundLimit = ChannelOptions.Types.WriteBufferWaterMark(
        low: 64 * 1024, high: BodySender.unpacedChunkByteCount)

    package let port: Int

    /// The base of its URLs, such as `http://127.0.0.1:4711`, without a trailing slash.
    package let baseURL: String

    package let secureBaseURL: String?

    /// The base of its URLs over TLS where HTTP/2 is offered, too, or `nil` without.
    package let http2BaseURL: String?

    /// The authority's certificate that a client has to trust for TLS, or `nil` without TLS.
    package let certificateAuthorityPEM: String?

    private let group: MultiThreadedEventLoopGroup
    private let pool: NIOThreadPool
    private let ledger: Ledger
    private let isStopped = Mutex(false)

    private init(
        address: String, ports: (plain: Int, secure: Int?, http2: Int?), authorityPEM: String?,
        group: MultiThreadedEventLoopGroup, pool: NIOThreadPool, ledger: Ledger
    ) {
        let host = address.contains(":") ? "[\(address)]" : address
        self.port = ports.plain
        self.baseURL = "http://\(host):\(ports.plain)"
        self.secureBaseURL = ports.secure.map { "https://\(host):\($0)" }
        self.http2BaseURL = ports.http2.map { "https://\(host):\($0)" }
        self.certificateAuthorityPEM = authorityPEM
        (self.group, self.pool, self.ledger) = (group, pool, ledger)
    }

    /// Starts an origin, which answers when this returns.
    package static func start(_ configuration: OriginConfiguration) async throws -> OriginServer {
        let address = try configuration.bindAddress()
        var journal: SentJournal?
        if let path = configuration.journalPath { journal = try SentJournal(path: path) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threadCount)
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let ledger = Ledger(journal: journal)
        let shelf = ImageShelf(library: configuration.library, pool: pool)
        let pipeline = Pipeline(ledger: ledger) { connection in
            OriginHandler(configuration, shelf: shelf, ledger: ledger, of: connection)
        }
        do {
            let plain = try await bootstrap(group, pipeline.configurePlain)
                .bind(host: address, port: configuration.port).get()
            var securePort: Int?
            var http2Port: Int?
            if let security = configuration.security {
                securePort = try await bootstrap(group) { security.prepareHTTP1($0, pipeline) }
                    .bind(host: address, port: 0).get().localAddress?.port
                // A client that can speak HTTP/2 takes it where it is offered, hence a listener of its own.
                if let prepareHTTP2 = security.prepareHTTP2 {
                    http2Port = try await bootstrap(group) { prepareHTTP2($0, pipeline) }
                        .bind(host: address, port: 0).get().localAddress?.port
                }
            }
            return OriginServer(
                address: address, ports: (plain.localAddress?.port ?? configuration.port, securePort, http2Port),
                authorityPEM: configuration.security?.authorityPEM, group: group, pool: pool, ledger: ledger)
        } catch {
            try? await pool.shutdownGracefully()
            try? await group.shutdownGracefully()
            throw FetchBenchError(
                kernel: "cannot listen on \(address), port \(configuration.port)",
                errno: (error as? IOError)?.errnoCode)
        }
    }

    package func statistics() -> OriginStatistics { ledger.statistics }

    /// The last 20,000 requests, in the order in which their heads were read.
    ///
    /// A request may be under way here for a moment after its client has all of it: it ends when the write of its last
    /// byte has completed.
    package func requests() -> [RequestRecord] { ledger.requests }

    /// Closes all connections, even in the middle of a body, and ends the threads; a second call does nothing.
    package func stop() async throws {
        let wasStopped = isStopped.withLock { stopped in
            defer { stopped = true }
            return stopped
        }
        guard !wasStopped else { return }
        ledger.stopping()
        do {
            // The pool first: an image that is being made is handed to an event loop.
            try await pool.shutdownGracefully()
            try await group.shutdownGracefully()
        } catch {
            throw FetchBenchError("cannot stop the origin at \(baseURL): \(error)")
        }
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup,
        _ configure: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: outboundLimit)
            .childChannelInitializer(configure)
    }

    /// The handlers of a connection with HTTP/1.1, and their parts for other protocols.
    package struct Pipeline: Sendable {
        let ledger: Ledger
        package let makeHandler: @Sendable (Connection?) -> OriginHandler

        package func makeConnection() -> Connection { Connection(ledger) }

        package func configurePlain(_ channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture { try addHTTP1(to: channel) }
        }

        package func addHTTP1(to channel: any Channel) throws {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
            try channel.pipeline.syncOperations.addHandler(makeHandler(nil))
        }
    }

    /// The entries of one connection in the ledger; the streams of an HTTP/2 connection share one.
    ///
    /// Bound to the event loop of its connection.
    package final class Connection {
        private let ledger: Ledger
        private var isOpen = false
        private var isCounted = false
        private var hasAsked = false
        /// The connection's number in the log, from its first request on.
        private var number: Int?

        init(_ ledger: Ledger) { self.ledger = ledger }

        package func opened() {
            guard !isOpen else { return }
            isOpen = true
            isCounted = true
            ledger.opened()
        }

        package func closed() {
            if isCounted { ledger.closed(hasAsked: hasAsked) }
            isCounted = false
        }

        func began(_ head: HTTPRequestHead, _ request: OriginRequest?) -> RequestEntry {
            if !hasAsked, isCounted { ledger.hasAsked() }
            hasAsked = true
            return ledger.began(head, request, on: &number)
        }

        /// Removes the connection from the count if an observer's request is its first.
        func observed() {
            if !hasAsked, isCounted {
                ledger.disowned()
                isCounted = false
            }
            hasAsked = true
        }
    }
}
