// SPDX-License-Identifier: Apache-2.0

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

    /// The reason why nothing more is sent.
    enum End {
        case complete
        case limit
        case failure(AssetError)
    }

    private let reader: any BodyReader
    private let limit: Int
    private let schedule: PacingSchedule?
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
        _ reader: any BodyReader, limit: Int?, rate: TransferRate, context: ChannelHandlerContext, ledger: Ledger?,
        entry: RequestEntry?, onEnd: @escaping (End) -> Void
    ) {
        self.reader = reader
        self.limit = limit ?? .max
        self.schedule = PacingSchedule(rate)
        self.context = context
        self.ledger = ledger
        self.entry = entry
        self.onEnd = onEnd
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

    /// Sends the next bytes: `wanted`, or fewer at the end.
    private func send(_ wanted: Int) throws(AssetError) {
        turn = 1 - turn
        buffers[turn].clear(minimumCapacity: wanted)
        var failure: AssetError?
        let count = buffers[turn].writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { memory in
            do throws(AssetError) {
                return try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(wanted)))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        guard count > 0 else { return }
        sent += count
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenSuccess { [ledger, entry] in
            ledger?.sent(count, in: entry)
            entry?.sent(count)
        }
        context.writeAndFlush(OriginHandler.wrapOutboundOut(.body(.byteBuffer(buffers[turn]))), promise: written)
    }

    private func finish(_ end: End) {
        cancel()
        onEnd(end)
    }
}
