// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL

extension OriginHandler {
    func carryOut(_ answer: Answer, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        let delay = delay(of: answer, exchange)
        guard delay > .zero else { return begin(answer, exchange, context) }
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard context.channel.isActive else { return }
            self?.begin(answer, exchange, context)
        }
    }

    /// The delay of an answer: what its request asks for, plus the origin's latency unless it is an observer's.
    private func delay(of answer: Answer, _ exchange: Exchange) -> TimeAmount {
        let latency = exchange.entry == nil ? .zero : latency
        guard case .response(let plan) = answer else { return latency }
        return latency + .milliseconds(Int64(plan.delayMilliseconds))
    }

    private func begin(_ answer: Answer, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        switch answer {
        case .silence: break
        case .raw where isStream: begin(.refusal(Self.onlyInHTTP1), exchange, context)
        case .raw(let answer): write(answer, exchange, context)
        case .response(let plan): respond(plan, exchange, context)
        }
    }

    /// The refusal of bytes that are written past the encoder: in frames they would be no answer at all.
    private static let onlyInHTTP1 = Refusal(.notImplemented, "this answer exists in HTTP/1.1 only")

    private func respond(_ plan: ResponsePlan, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let keepsAlive = exchange.keepsAlive
        var head = HTTPResponseHead(version: .http1_1, status: plan.status, headers: plan.headers)
        if !keepsAlive, !isStream { head.headers.add(name: "Connection", value: "close") }
        exchange.entry?.answered(Int(plan.status.code))
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        guard !exchange.isHead, let content = plan.content else {
            return end(.complete, staysOpen: keepsAlive, exchange.entry, context)
        }
        guard let reader = try? content.reader() else { return end(.close, staysOpen: false, exchange.entry, context) }
        let sender = BodySender(
            reader, limit: content.limit, rate: plan.rate, context: context, ledger: plan.isCounted ? ledger : nil,
            entry: exchange.entry
        ) { [weak self] end in
            self?.sender = nil
            switch end {
            case .complete: self?.end(plan.ending, staysOpen: keepsAlive, exchange.entry, context)
            case .limit: self?.end(content.endingAtLimit, staysOpen: false, exchange.entry, context)
            case .failure: self?.end(.close, staysOpen: false, exchange.entry, context)
            }
        }
        self.sender = sender
        sender.advance()
        // The head leaves with the first bytes, or alone if none is due yet.
        if self.sender === sender { context.flush() }
    }

    private func end(
        _ ending: ResponsePlan.Ending, staysOpen: Bool, _ entry: RequestEntry?, _ context: ChannelHandlerContext
    ) {
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        isEnding = isStream && ending != .stall
        switch ending {
        case .complete:
            log(written.futureResult, as: .complete, entry)
            // A stream ends by itself when both sides have sent all.
            if !staysOpen, !isStream { written.futureResult.whenComplete { _ in channel.close(promise: nil) } }
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
        case .close, .reset:
            log(written.futureResult, as: .cut, entry)
            if ending == .reset {
                reset(after: written.futureResult, context)
            } else {
                written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            }
            // An empty write is done when everything before it is.
            context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: written)
        case .stall:
            written.succeed()
        }
    }

    /// Closes with RST instead of FIN, and without TLS's close notification; for a stream, its whole connection.
    private func reset(after written: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        let channel = isStream ? context.channel.parent ?? context.channel : context.channel
        // `SO_LINGER` with a time of 0 makes close send RST.
        (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            .whenFailure { _ in channel.close(promise: nil) }
        let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        written.assumeIsolated().whenComplete { _ in
            if let tls { tls.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }

    /// Logs the end of a request when its last write succeeds or fails.
    private func log(
        _ written: EventLoopFuture<Void>, as ending: RequestRecord.Ending, _ entry: RequestEntry?
    ) {
        guard let entry else { return }
        written.whenComplete { [ledger] result in
            switch result {
            case .success: ledger.ended(entry, ending)
            case .failure: ledger.ended(entry, .abandoned)
            }
        }
    }

    /// Writes bytes past the encoder, which would refuse them, and closes.
    private func write(_ answer: RawAnswer, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        if let status = answer.status { exchange.entry?.answered(status) }
        log(written.futureResult, as: answer.isCut ? .cut : .complete, exchange.entry)
        if answer.resets {
            reset(after: written.futureResult, context)
        } else {
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        guard let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self) else {
            return written.fail(ChannelError.ioOnClosedChannel)
        }
        encoder.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer(bytes: answer.bytes))), promise: written)
    }
}
