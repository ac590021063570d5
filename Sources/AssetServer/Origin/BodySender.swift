// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Sends the bytes of one response: in their rhythm, and never more than the client takes.
///
/// Bound to the event loop of its connection. At most two chunks exist at one time, whatever the body's size.
final class BodySender {
    /// The chunk of a body that is not paced, in bytes: large enough that the system calls do not matter.
    static let unpacedChunkByteCount = 256 * 1024

    /// How many chunks are sent before other connections of the same thread get their turn.
    private static let chunksPerTurn = 4

    private let source: any BodySource
    private let end: Int
    private let schedule: PacingSchedule?
    private let context: ChannelHandlerContext
    private let ledger: Ledger?
    private let entry: RequestEntry?
    private let beginning: NIODeadline
    private let first: Int
    private var offset: Int
    private var isAdvancing = false
    private var isOver = false
    private var alarm: Scheduled<Void>?
    /// Two, because the kernel may have taken only a part of the previous chunk when the next one is filled.
    private var buffers = [ByteBuffer(), ByteBuffer()]
    private var turn = 0
    /// Called once: with `nil` when the last byte was written, or with what prevented it.
    private let onEnd: (AssetError?) -> Void

    /// Creates a sender, which counts its bytes where it has a ledger and an entry; the body begins now.
    init(
        _ content: ResponsePlan.Content, rate: TransferRate, context: ChannelHandlerContext, ledger: Ledger?,
        entry: RequestEntry?, onEnd: @escaping (AssetError?) -> Void
    ) {
        self.source = content.source
        self.first = content.range.lowerBound
        self.offset = content.range.lowerBound
        self.end = content.range.upperBound
        self.schedule = PacingSchedule(rate)
        self.context = context
        self.ledger = ledger
        self.entry = entry
        self.onEnd = onEnd
        self.beginning = context.eventLoop.now
    }

    /// Sends what is due and what fits; called at the beginning, by the alarm and when the client has taken bytes.
    func advance() {
        // A write can find the channel writable again before it returns.
        guard !isAdvancing, !isOver else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        var chunks = 0
        while offset < end {
            guard context.channel.isWritable else { return }
            let count = min(schedule?.chunkByteCount ?? Self.unpacedChunkByteCount, end - offset)
            if let due = due(through: offset + count), due > context.eventLoop.now { return wake(at: due) }
            guard chunks < Self.chunksPerTurn else { return yield() }
            chunks += 1
            do {
                try send(count)
            } catch {
                return finish(error)
            }
            guard !isOver else { return }
        }
        finish(nil)
    }

    /// Forgets the rest: the connection is gone.
    func cancel() {
        isOver = true
        alarm?.cancel()
        alarm = nil
    }

    /// When the bytes up to an offset may be sent, or `nil` where they are not paced.
    private func due(through end: Int) -> NIODeadline? {
        guard let schedule else { return nil }
        let nanoseconds = schedule.nanoseconds(through: end - first)
        let total = beginning.uptimeNanoseconds.addingReportingOverflow(nanoseconds)
        return total.overflow ? .distantFuture : .uptimeNanoseconds(total.partialValue)
    }

    /// Continues at a time of the schedule, unless that is arranged already.
    private func wake(at deadline: NIODeadline) {
        alarm?.cancel()
        alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            self?.advance()
        }
    }

    /// Continues after the others.
    private func yield() {
        context.eventLoop.assumeIsolated().execute { [weak self] in self?.advance() }
    }

    /// Sends the next bytes.
    private func send(_ count: Int) throws(AssetError) {
        turn = 1 - turn
        buffers[turn].clear(minimumCapacity: count)
        var failure: AssetError?
        buffers[turn].writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
            do throws(AssetError) {
                try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(count)), at: offset)
                return count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        offset += count
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenSuccess { [ledger, entry] in
            ledger?.sent(count)
            entry?.sent(count)
        }
        context.writeAndFlush(OriginHandler.wrapOutboundOut(.body(.byteBuffer(buffers[turn]))), promise: written)
    }

    private func finish(_ error: AssetError?) {
        cancel()
        onEnd(error)
    }
}
