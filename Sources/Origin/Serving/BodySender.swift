// SPDX-License-Identifier: Apache-2.0

import CZlib
import NIOCore
import NIOHTTP1
import Runs

/// Sends the bytes of one response at its rate, and never more than the client takes.
///
/// Bound to the event loop of its connection. At most two chunks exist at one time, whatever the body's size.
final class BodySender {
    /// The chunk size without pacing, in bytes: large enough that system calls do not matter.
    static let unpacedChunkByteCount = 256 * 1024

    /// The chunk size of a body that is slow to compute, in bytes: other connections of the thread wait for it.
    private static let slowChunkByteCount = 32 * 1024

    /// The number of chunks sent before other connections of the same thread get their turn.
    private static let chunksPerTurn = 4

    enum End {
        case complete
        case limit
        case failure(any Error)
    }

    private let reader: any BodyReader
    private let frames: Chunks?
    private let limit: Int
    private let schedule: PacingSchedule?
    /// The line that the answer shares with others; `nil` for a pace of its own.
    private let line: PacingSchedule.SharedLine?
    /// The time at which the next piece has gone, if it has the line.
    private var taken: UInt64?
    private let context: ChannelHandlerContext
    private let ledger: Ledger?
    private let entry: RequestEntry?
    private let beginning: NIODeadline
    private var sent = 0
    private var isAdvancing = false
    private var isOver = false
    private var alarm: Scheduled<Void>?
    /// Two, because the kernel may have taken only a part of the previous chunk when the next one is filled.
    private var buffers = [ByteBuffer(), ByteBuffer()]
    private var turn = 0
    /// Called once, after the last byte was written or failed.
    private let onEnd: (End) -> Void

    /// Creates a sender, which counts its bytes in the ledger and the entry; the body begins now.
    init(
        _ reader: any BodyReader, frames: Chunks?, limit: Int?, rate: TransferRate, line: PacingSchedule.SharedLine,
        context: ChannelHandlerContext, ledger: Ledger?, entry: RequestEntry?, onEnd: @escaping (End) -> Void
    ) {
        if case .shared = rate { self.line = line } else { self.line = nil }
        (self.reader, self.frames) = (reader, frames)
        self.limit = limit ?? .max
        self.schedule = PacingSchedule(rate)
        (self.context, self.ledger, self.entry, self.onEnd) = (context, ledger, entry, onEnd)
        self.beginning = context.eventLoop.now
    }

    /// Sends the bytes that are due and fit: at the beginning, at each alarm and when the client has taken bytes.
    func advance() {
        // A write can find the channel writable again before it returns.
        guard !isAdvancing, !isOver else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        var chunks = 0
        while !reader.isAtEnd {
            guard sent < limit else { return finish(.limit) }
            guard context.channel.isWritable else { return }
            let chunk = schedule?.chunkByteCount ?? Self.unpacedChunkByteCount
            let count = min(chunk, reader.remaining ?? Self.slowChunkByteCount, limit - sent)
            if let due = due(through: sent + count), due > context.eventLoop.now { return wake(at: due) }
            guard chunks < Self.chunksPerTurn else { return yield() }
            chunks += 1
            do {
                try send(count)
            } catch {
                return finish(.failure(error))
            }
            guard !isOver else { return }
        }
        finish(.complete)
    }

    func cancel() {
        isOver = true
        alarm?.cancel()
        alarm = nil
    }

    /// The time at which `count` bytes may have been sent, or `nil` without pacing.
    private func due(through count: Int) -> NIODeadline? {
        guard let schedule else { return nil }
        if let line {
            let end = taken ?? line.take(count - sent, at: context.eventLoop.now.uptimeNanoseconds, schedule)
            taken = end
            return end > UInt64(Int64.max) ? .distantFuture : .uptimeNanoseconds(end)
        }
        let nanoseconds = schedule.nanoseconds(through: count)
        let total = beginning.uptimeNanoseconds.addingReportingOverflow(nanoseconds)
        return total.overflow ? .distantFuture : .uptimeNanoseconds(total.partialValue)
    }

    private func wake(at deadline: NIODeadline) {
        alarm?.cancel()
        alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            self?.advance()
        }
    }

    /// Continues after the other connections of the thread.
    private func yield() {
        context.eventLoop.assumeIsolated().execute { [weak self] in self?.advance() }
    }

    private func send(_ wanted: Int) throws {
        turn = 1 - turn
        buffers[turn].clear(minimumCapacity: wanted)
        let count = try buffers[turn].writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { memory in
            try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(wanted)))
        }
        guard count > 0 else { return }
        let offset = sent
        sent += count
        taken = nil
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenSuccess { [ledger, entry] in
            ledger?.sent(count, in: entry)
            entry?.sent(count)
        }
        guard let frames else {
            return context.writeAndFlush(
                OriginHandler.wrapOutboundOut(.body(.byteBuffer(buffers[turn]))), promise: written)
        }
        frames.encoder.writeAndFlush(
            NIOAny(IOData.byteBuffer(frames.framed(buffers[turn], from: offset))), promise: written)
    }

    private func finish(_ end: End) {
        cancel()
        onEnd(end)
    }
}

extension BodySender {
    /// The HTTP chunks of a body, of one size, which are written past the encoder: that makes a chunk of each write.
    struct Chunks {
        let size: Int
        let total: Int
        let encoder: ChannelHandlerContext

        /// Returns bytes of the body, the first of which is at an offset, with the beginnings and ends of their chunks.
        func framed(_ bytes: ByteBuffer, from offset: Int) -> ByteBuffer {
            var (rest, offset, framed) = (bytes, offset, ByteBuffer())
            while rest.readableBytes > 0 {
                let place = offset % size
                if place == 0 { framed.writeString(String(min(size, total - offset), radix: 16) + "\r\n") }
                guard var piece = rest.readSlice(length: min(size - place, rest.readableBytes)) else { break }
                offset += piece.readableBytes
                framed.writeBuffer(&piece)
                if offset % size == 0 || offset == total { framed.writeString("\r\n") }
            }
            return framed
        }
    }
}

/// The bytes of one body in the order in which they are sent, made on demand.
package protocol BodyReader: AnyObject {
    /// The number of bytes left, or `nil` if only the end will tell.
    var remaining: Int? { get }
    var isAtEnd: Bool { get }
    /// Fills the buffer with the next bytes and returns their number, which is smaller than the buffer only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

package final class PlainReader: BodyReader {
    private let source: any BodySource
    private let end: Int
    private var offset: Int

    package init(_ source: any BodySource, _ range: Range<Int>) {
        self.source = source
        self.offset = range.lowerBound
        self.end = range.upperBound
    }

    package var remaining: Int? { end - offset }

    package var isAtEnd: Bool { offset == end }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = min(buffer.count, end - offset)
        try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)), at: offset)
        offset += count
        return count
    }
}

extension ResponsePlan.Content {
    func reader() throws -> any BodyReader {
        if let stream { return stream() }
        return isCompressed ? try GzipReader(source, range) : PlainReader(source, range)
    }
}

/// The bytes of a source in the gzip format, compressed on demand by zlib's `deflate`.
///
/// It holds 64 KiB of the source and zlib's 256 KiB, whatever the body's size, so pacing, cuts and counts apply to the
/// compressed bytes. It compresses fast rather than well, because other connections wait on the same thread.
package final class GzipReader: BodyReader {
    private static let window = 64 * 1024

    private let source: any BodySource
    private let end: Int
    private var offset: Int
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    package private(set) var isAtEnd = false

    package init(_ source: any BodySource, _ range: Range<Int>) throws {
        self.source = source
        self.offset = range.lowerBound
        self.end = range.upperBound
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(byteCount: Self.window, alignment: 16)
        // If this fails there is no state, and `deflateEnd` does nothing.
        guard czlib_deflate_init_gzip(stream) == Z_OK else { throw FetchBenchError("zlib has no memory") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    package var remaining: Int? { nil }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = uInt(buffer.count)
        while stream.pointee.avail_out > 0, !isAtEnd {
            if stream.pointee.avail_in == 0, offset < end { try refill() }
            switch deflate(stream, offset == end ? Z_FINISH : Z_NO_FLUSH) {
            case Z_STREAM_END: isAtEnd = true
            case Z_OK, Z_BUF_ERROR: break
            default: throw FetchBenchError("zlib cannot compress the body")
            }
        }
        return buffer.count - Int(stream.pointee.avail_out)
    }

    private func refill() throws {
        let count = min(Self.window, end - offset)
        try source.read(into: UnsafeMutableRawBufferPointer(rebasing: input.prefix(count)), at: offset)
        offset += count
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = uInt(count)
    }
}
