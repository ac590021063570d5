// SPDX-License-Identifier: Apache-2.0

import Glibc
package import NIOCore
package import NIOHTTP1
import Runs

/// Connects one channel with the code that decides (``Answer``) and the code that sends (``BodySender``).
///
/// A channel is a connection of HTTP/1.1, where NIO's pipelining handler in front of it delivers one request at a time,
/// or a stream of HTTP/2, which has one request.
package final class OriginHandler: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundOut = HTTPServerResponsePart

    /// A request and its route, determined when its head was read.
    struct Exchange {
        var request: OriginRequest?
        var route: Result<Route, Refusal>
        /// The request's entry in the log, or `nil` for an observer's.
        var entry: RequestEntry?
        var isHead: Bool

        var keepsAlive: Bool
        var isAnswered = false
        var received: BodyDigest?
    }

    let ledger: Ledger
    let latency: TimeAmount
    var sender: BodySender?
    /// True if the last write of a stream's answer is under way.
    var isEnding = false

    private let rate: TransferRate
    private let line: PacingSchedule.SharedLine
    private let shelf: ImageShelf
    private var exchange: Exchange?
    private let connection: OriginServer.Connection
    /// True if the channel is a stream of an HTTP/2 connection, which others may share.
    let isStream: Bool

    /// - Parameter connection: The connection of the stream that the channel is; `nil` if the channel is a connection.
    package init(
        _ configuration: OriginConfiguration, shelf: ImageShelf, ledger: Ledger,
        of connection: OriginServer.Connection? = nil
    ) {
        (rate, line) = (configuration.rate, configuration.line)
        latency = .nanoseconds(Int64(configuration.latencyNanoseconds))
        (self.shelf, self.ledger) = (shelf, ledger)
        self.connection = connection ?? OriginServer.Connection(ledger)
        isStream = connection != nil
    }

    /// Counts a connection that was opened before its protocol was known.
    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive, !isStream { connection.opened() }
    }

    package func channelActive(context: ChannelHandlerContext) {
        if !isStream { connection.opened() }
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        sender?.cancel()
        sender = nil
        // A stream ends before its last write has left the connection, whose completion is logged.
        if let entry = exchange?.entry, !isEnding { ledger.ended(entry, .abandoned) }
        exchange = nil
        if !isStream { connection.closed() }
        context.fireChannelInactive()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { sender?.advance() }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection; NIO has already answered malformed requests.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            exchange = begin(head)
            if OriginRequest.expectsContinue(head) { answerExpectation(context) }
        case .body(let bytes):
            exchange?.entry?.received(bytes.readableBytes)
            exchange?.received?.add(bytes)
        case .end:
            guard let exchange, !exchange.isAnswered else { return }
            answer(exchange, context)
        }
    }

    /// Determines a request's route, and logs it unless it is an observer's.
    private func begin(_ head: HTTPRequestHead) -> Exchange {
        let request = OriginRequest(head)
        let route = Self.route(request)
        var entry: RequestEntry?
        if (try? route.get())?.isObservation == true {
            connection.observed()
        } else {
            entry = connection.began(head, request)
        }
        return Exchange(
            request: request, route: route, entry: entry, isHead: head.method == .HEAD,
            keepsAlive: request?.keepsAlive ?? false,
            received: (try? route.get()) == .sink ? BodyDigest() : nil)
    }

    /// Answers a client that waits before it sends its body: `100 Continue`, or the refusal.
    ///
    /// The body of a refused request may follow or not, so nothing more can be read from its connection.
    private func answerExpectation(_ context: ChannelHandlerContext) {
        guard case .failure(let refusal) = exchange?.route else {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            return context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        }
        exchange?.isAnswered = true
        exchange?.keepsAlive = false
        if let exchange { carryOut(.refusal(refusal), exchange, context) }
    }

    private static func route(_ request: OriginRequest?) -> Result<Route, Refusal> {
        guard let request else { return .failure(Refusal(.badRequest, "the request target is not a path")) }
        do throws(Refusal) {
            return .success(try Route(request))
        } catch {
            return .failure(error)
        }
    }

    private func answer(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        switch exchange.route {
        case .failure(let refusal): carryOut(.refusal(refusal), exchange, context)
        case .success(let route):
            guard let item = route.needed else { return answer(exchange, route, stored: nil, context) }
            shelf.representation(of: item, on: context.eventLoop).assumeIsolated().whenComplete { [weak self] result in
                self?.answer(exchange, route, stored: result, context)
            }
        }
    }

    private func answer(
        _ exchange: Exchange, _ route: Route, stored: Result<Representation, any Error>?,
        _ context: ChannelHandlerContext
    ) {
        guard let request = exchange.request else { return }
        switch stored {
        case .failure:
            // Its reason has paths of this machine.
            carryOut(.refusal(Refusal(.internalServerError, "the image could not be made")), exchange, context)
        case .success, nil:
            let answer = Answer(
                to: request, route, standard: rate, stored: try? stored?.get(),
                received: exchange.received ?? BodyDigest(), ledger: ledger)
            carryOut(answer, exchange, context)
        }
    }
}

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
        var frames: BodySender.Chunks?
        if let size = content.chunk, let total = reader.remaining, let encoder = Self.encoder(context) {
            frames = BodySender.Chunks(size: size, total: total, encoder: encoder)
        }
        let sender = BodySender(
            reader, frames: frames, limit: content.limit, rate: plan.rate, line: line, context: context,
            ledger: plan.isCounted ? ledger : nil, entry: exchange.entry
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
        case .stall: written.succeed()
        }
    }

    /// Closes with RST instead of FIN, and without TLS's close notification; for a stream, its whole connection.
    private func reset(after written: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        let channel = isStream ? context.channel.parent ?? context.channel : context.channel
        // `SO_LINGER` with a time of 0 makes close send RST.
        (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            .whenFailure { _ in channel.close(promise: nil) }
        let tls = try? channel.pipeline.syncOperations.context(name: OriginSecurity.handlerName)
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

    /// The context behind the encoder of HTTP/1.1; `nil` for a stream of HTTP/2.
    private static func encoder(_ context: ChannelHandlerContext) -> ChannelHandlerContext? {
        try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
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
        guard let encoder = Self.encoder(context) else { return written.fail(ChannelError.ioOnClosedChannel) }
        encoder.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer(bytes: answer.bytes))), promise: written)
    }
}
