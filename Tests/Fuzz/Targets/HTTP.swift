// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Origin
import TrialKit

extension FuzzTarget {
    static let answers = FuzzTarget(name: "answer", summary: "answers to mode raw and to the clients of a server") {
        bytes, _ in
        // More would not fit in the queue of a socket.
        let bytes = Array(bytes.prefix(32 << 10))
        var reader = HTTPReader(
            socket: try sent(bytes), buffer: RawBuffer(byteCount: bytes.count.isMultiple(of: 2) ? 64 : 4096))
        let head = try reader.readHead()
        try promise(!(100..<200).contains(head.status), "an interim answer is taken for the answer")
        let said = BodyHead(status: head.status) { head.value(of: $0.lowercased()) }
        _ = try? said.entity(answering: Resumption(offset: 5, validator: "\"a\"", key: "k"))
        var received = 0
        let length = try reader.readBody(framedBy: try head.framing()) { bytes throws(FetchFailure) in
            received += bytes.count
        }
        try promise(received == length && length <= bytes.count, "\(length) bytes are told, \(received) were handed on")
    }

    /// A connected socket on which all of an answer has come, and its end.
    private static func sent(_ bytes: [UInt8]) throws -> TCPSocket {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw BrokenPromise("no sockets can be made")
        }
        defer { close(ends[0]) }
        let socket = TCPSocket(connected: ends[1])
        guard send(ends[0], bytes, bytes.count, Int32(MSG_DONTWAIT)) == bytes.count else {
            throw BrokenPromise("an answer does not fit in the queue of a socket")
        }
        return socket
    }

    static let requests = FuzzTarget(name: "request", summary: "requests to the origin") { bytes, _ in
        let connection = try OriginConnection()
        defer { connection.close() }
        try connection.send(bytes)
    }
}

private struct OriginConnection {
    private static let rounds = 4
    private let channel = EmbeddedChannel()

    init() throws {
        let library = AssetLibrary(cacheDirectory: "/nowhere")
        // A pool that was not started makes no image.
        let shelf = ImageShelf(library: library, pool: NIOThreadPool(numberOfThreads: 1))
        let handler = OriginHandler(OriginConfiguration(library: library), shelf: shelf, ledger: Ledger())
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(FullQueue())
        try pipeline.configureHTTPServerPipeline()
        try pipeline.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func send(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        for _ in 0..<Self.rounds {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(2))
            while try channel.readOutbound(as: IOData.self) != nil {}
        }
    }

    func close() { _ = try? channel.finish(acceptAlreadyClosed: true) }
}

/// The queue of a socket, which takes no more after 1 MiB.
private final class FullQueue: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData
    private var byteCount = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        byteCount += unwrapOutboundIn(data).readableBytes
        if byteCount > 1 << 20, let channel = context.channel as? EmbeddedChannel { channel.isWritable = false }
        context.write(data, promise: promise)
    }
}
