// SPDX-License-Identifier: Apache-2.0

import MemProbe
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Origin
import Testing

/// A connection without a network, whose clock the test turns.
private struct Connection {
    let channel: EmbeddedChannel
    let ledger = Ledger()

    init(latencyNanoseconds: Int = 0) throws {
        let library = AssetLibrary(cacheDirectory: ".")
        let shelf = ImageShelf(library: library, pool: NIOThreadPool(numberOfThreads: 1))
        var configuration = OriginConfiguration(library: library)
        configuration.latencyNanoseconds = latencyNanoseconds
        channel = EmbeddedChannel(handler: OriginHandler(configuration, shelf: shelf, ledger: ledger))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// Sends a request to the origin.
    func ask(_ target: String) throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    /// What the origin has written since the last call: the sizes of the body's parts, and whether it is complete.
    func answer() throws -> (parts: [Int], isComplete: Bool) {
        var parts: [Int] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head: break
            case .body(.byteBuffer(let buffer)): parts.append(buffer.readableBytes)
            case .body(.fileRegion(let region)): parts.append(region.readableBytes)
            case .end: return (parts, true)
            }
        }
        return (parts, false)
    }
}

@Suite("A connection of the origin")
struct OriginHandlerTests {
    @Test("sends 64 KiB whenever the schedule says so")
    func pacing() throws {
        let connection = try Connection()
        try connection.ask("/bytes/256KiB?rate=60MiB")
        #expect(try connection.answer().parts == [])
        connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1_041_665))
        #expect(try connection.answer().parts == [])
        connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        #expect(try connection.answer().parts == [65_536])
        connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1_041_667))
        #expect(try connection.answer().parts == [65_536])
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(3))
        let rest = try connection.answer()
        #expect(rest.parts == [65_536, 65_536])
        #expect(rest.isComplete)
        #expect(connection.ledger.statistics.bytesSent.rawValue == 262_144)
    }

    @Test("makes no byte for a client that does not read")
    func backPressure() throws {
        let connection = try Connection()
        connection.channel.isWritable = false
        connection.channel.pipeline.fireChannelWritabilityChanged()
        try connection.ask("/bytes/64MiB?rate=unlimited")
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.answer().parts == [])
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        let parts = try connection.answer().parts
        #expect(parts == [262_144, 262_144, 262_144, 262_144], "then the others get their turn")
        try connection.channel.close().wait()
        #expect(connection.ledger.statistics.openConnections == 0)
    }

    @Test("catches up with its schedule when a slow client reads again")
    func lateClient() throws {
        let connection = try Connection()
        connection.channel.isWritable = false
        try connection.ask("/bytes/1MiB?rate=1MiB")
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(500))
        #expect(try connection.answer().parts == [])
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        connection.channel.embeddedEventLoop.run()
        let sent = try connection.answer().parts.reduce(0, +)
        #expect((500_000...524_288).contains(sent))
    }

    @Test("stops when its client leaves in the middle")
    func leaving() throws {
        let connection = try Connection()
        try connection.ask("/bytes/1GiB")
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(10))
        #expect(connection.ledger.statistics.bytesSent.rawValue == 9 * 65_536)
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(connection.ledger.statistics.bytesSent.rawValue == 9 * 65_536)
    }

    @Test("waits for its latency before each answer, and not before an observer's")
    func latency() throws {
        let connection = try Connection(latencyNanoseconds: 80_000_000)
        for target in ["/bytes/1KiB?rate=unlimited", "/healthz", "/nothing", "/bytes/1KiB?rate=unlimited&delay=20"] {
            try connection.ask(target)
            let wait = target.contains("delay") ? 100 : 80
            connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(Int64(wait) * 1_000_000 - 1))
            #expect(try connection.channel.readOutbound(as: HTTPServerResponsePart.self) == nil, "\(target)")
            connection.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
            #expect(try connection.answer().isComplete, "\(target)")
        }
        try connection.ask("/stats")
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.answer().isComplete)
    }

    @Test("says nothing to a client that leaves before its answer is due")
    func leavingEarly() throws {
        let connection = try Connection(latencyNanoseconds: 80_000_000)
        try connection.ask("/bytes/1KiB")
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.ledger.statistics.bytesSent == .zero)
        #expect(connection.ledger.statistics.openConnections == 0)
    }
}
