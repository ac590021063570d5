// SPDX-License-Identifier: Apache-2.0

import Glibc
package import NIOCore
package import NIOHTTP1

/// Joins one connection with what decides and what sends; it decides nothing itself.
///
/// NIO's pipelining handler in front of it delivers one request at a time.
package final class OriginHandler: ChannelInboundHandler {
    /// What NIO's decoder delivers.
    package typealias InboundIn = HTTPServerRequestPart
    /// What NIO's encoder takes.
    package typealias OutboundOut = HTTPServerResponsePart

    private let rate: TransferRate
    private let shelf: HeroShelf
    private let ledger: Ledger
    private var head: HTTPRequestHead?
    private var sender: BodySender?
    /// Whether the ledger counts this connection.
    private var isCounted = false
    /// Whether the first request of this connection was read.
    private var hasAsked = false

    /// Creates the handler of one connection.
    package init(rate: TransferRate, shelf: HeroShelf, ledger: Ledger) {
        self.rate = rate
        self.shelf = shelf
        self.ledger = ledger
    }

    /// Counts the connection.
    package func channelActive(context: ChannelHandlerContext) {
        ledger.opened()
        isCounted = true
        context.fireChannelActive()
    }

    /// Stops sending and takes the connection out of the count of open ones.
    package func channelInactive(context: ChannelHandlerContext) {
        sender?.cancel()
        sender = nil
        if isCounted { ledger.closed() }
        isCounted = false
        context.fireChannelInactive()
    }

    /// Continues when the client has taken bytes.
    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { sender?.advance() }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection: NIO has answered what could be answered.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Answers a request when it is complete.
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    /// Finds out what a request is for, counts it and answers it.
    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard let request = OriginRequest(head) else {
            count("*")
            let refusal = Refusal(.badRequest, "the target of the request is no path")
            return carryOut(.refusal(refusal), keepsAlive: false, isHead: head.method == .HEAD, context)
        }
        do throws(Refusal) {
            let route = try Route(request)
            count(route == .statistics ? nil : request.path)
            guard let variant = route.neededImage else { return answer(request, route, hero: nil, context) }
            shelf.image(variant, on: context.eventLoop).assumeIsolated().whenComplete { [weak self] result in
                self?.answer(request, route, hero: result, context)
            }
        } catch {
            count(request.path)
            carryOut(.refusal(error), request, context)
        }
    }

    /// Answers a request whose image is there, or cannot be.
    private func answer(
        _ request: OriginRequest, _ route: Route, hero: Result<Representation, any Error>?,
        _ context: ChannelHandlerContext
    ) {
        switch hero {
        case .failure(let error):
            let reason = (error as? AssetError)?.code.rawValue ?? "\(error)"
            let refusal = Refusal(.internalServerError, "the image could not be made: \(reason)")
            carryOut(.refusal(refusal), request, context)
        case .success, nil:
            let hero = try? hero?.get()
            let answer = Answer(to: request, route, standard: rate, hero: hero) { () throws(Refusal) in
                try ledger.json()
            }
            carryOut(answer, request, context)
        }
    }

    /// Counts a request, or takes an observer's connection out of the count.
    private func count(_ path: String?) {
        if let path {
            ledger.requested(path)
        } else if !hasAsked, isCounted {
            ledger.disowned()
            isCounted = false
        }
        hasAsked = true
    }
}

extension OriginHandler {
    private func carryOut(_ answer: Answer, _ request: OriginRequest, _ context: ChannelHandlerContext) {
        carryOut(answer, keepsAlive: request.keepsAlive, isHead: request.method == .HEAD, context)
    }

    /// Does what was decided.
    private func carryOut(_ answer: Answer, keepsAlive: Bool, isHead: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        switch answer {
        case .silence: break
        case .raw(let bytes): writeRaw(bytes, context)
        case .response(let plan):
            let staysOpen = keepsAlive && plan.ending == .complete
            var head = HTTPResponseHead(version: .http1_1, status: plan.status, headers: plan.headers)
            if !keepsAlive { head.headers.add(name: "Connection", value: "close") }
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            guard !isHead, let content = plan.content else { return end(.complete, staysOpen: keepsAlive, context) }
            let sender = BodySender(
                content, rate: plan.rate, context: context, ledger: plan.isCounted ? ledger : nil
            ) { [weak self] error in
                self?.sender = nil
                self?.end(error == nil ? plan.ending : .close, staysOpen: staysOpen && error == nil, context)
            }
            self.sender = sender
            sender.advance()
            // The head leaves with the first bytes, and alone where none is due yet.
            if self.sender === sender { context.flush() }
        }
    }

    /// Ends a response after its last byte.
    private func end(_ ending: ResponsePlan.Ending, staysOpen: Bool, _ context: ChannelHandlerContext) {
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        switch ending {
        case .complete:
            if !staysOpen { written.futureResult.whenComplete { _ in channel.close(promise: nil) } }
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
        case .close, .reset:
            if ending == .reset {
                // A close with a linger time of 0 sends RST instead of FIN.
                (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                    .whenFailure { _ in channel.close(promise: nil) }
            }
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            // An empty write is done when everything before it is.
            context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: written)
        case .stall:
            written.succeed()
        }
    }

    /// Writes bytes past the encoder, which would refuse them, and closes.
    private func writeRaw(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        guard let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self) else {
            return written.fail(ChannelError.ioOnClosedChannel)
        }
        encoder.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer(bytes: bytes))), promise: written)
    }
}
