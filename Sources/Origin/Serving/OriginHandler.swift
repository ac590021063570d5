// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOHTTP1
import Runs

/// Joins one connection with what decides and what sends; it decides nothing itself.
///
/// NIO's pipelining handler in front of it delivers one request at a time.
package final class OriginHandler: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundOut = HTTPServerResponsePart

    /// A request, and what was found out when its head was read.
    struct Exchange {
        /// The request, or `nil` where its target is no path.
        var request: OriginRequest?
        var route: Result<Route, Refusal>
        /// Where it is logged, or `nil` for an observer's.
        var entry: RequestEntry?
        /// Whether it asks for the header alone.
        var isHead: Bool

        /// Whether the connection stays open after the answer.
        var keepsAlive: Bool
        /// Whether it was answered before its body was read.
        var isAnswered = false
        /// What is known of its body, where somebody wants to know.
        var received: BodyDigest?
    }

    let ledger: Ledger
    /// How long an answer waits.
    let latency: TimeAmount
    /// What sends the body that is under way.
    var sender: BodySender?

    private let rate: TransferRate
    private let shelf: ImageShelf
    private var exchange: Exchange?
    /// Whether the ledger counts this connection.
    private var isCounted = false
    /// Whether the first request of this connection was read.
    private var hasAsked = false
    /// The number of this connection, once something was asked for.
    private var number: Int?

    package init(_ configuration: OriginConfiguration, shelf: ImageShelf, ledger: Ledger) {
        rate = configuration.rate
        latency = .nanoseconds(Int64(configuration.latencyNanoseconds))
        self.shelf = shelf
        self.ledger = ledger
    }

    package func channelActive(context: ChannelHandlerContext) {
        ledger.opened()
        isCounted = true
        context.fireChannelActive()
    }

    /// Stops sending and takes the connection out of the count of open ones.
    package func channelInactive(context: ChannelHandlerContext) {
        sender?.cancel()
        sender = nil
        if let entry = exchange?.entry { ledger.ended(entry, .abandoned) }
        exchange = nil
        if isCounted { ledger.closed(hasAsked: hasAsked) }
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

    /// Finds out what a request is for, and counts it.
    private func begin(_ head: HTTPRequestHead) -> Exchange {
        let request = OriginRequest(head)
        let route = Self.route(request)
        var entry: RequestEntry?
        if (try? route.get())?.isObservation == true {
            disown()
        } else {
            if !hasAsked, isCounted { ledger.hasAsked() }
            entry = ledger.began(head, request, on: &number)
        }
        hasAsked = true
        return Exchange(
            request: request, route: route, entry: entry, isHead: head.method == .HEAD,
            keepsAlive: request?.keepsAlive ?? false,
            received: (try? route.get()) == .sink ? BodyDigest() : nil)
    }

    /// Answers a client that waits before it sends its body: go on, or what is wrong with the request.
    ///
    /// The body of a refused request may come or not, so nothing else can be read from its connection.
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
        guard let request else { return .failure(Refusal(.badRequest, "the target of the request is no path")) }
        do throws(Refusal) {
            return .success(try Route(request))
        } catch {
            return .failure(error)
        }
    }

    /// Takes an observer's connection out of the count.
    private func disown() {
        guard !hasAsked, isCounted else { return }
        ledger.disowned()
        isCounted = false
    }

    /// Answers a request, once the image is there that it needs.
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

    /// Answers a request whose image is there, or cannot be.
    private func answer(
        _ exchange: Exchange, _ route: Route, stored: Result<Representation, any Error>?,
        _ context: ChannelHandlerContext
    ) {
        guard let request = exchange.request else { return }
        switch stored {
        case .failure(let error):
            let reason = (error as? AssetError)?.code.rawValue ?? "\(error)"
            let refusal = Refusal(.internalServerError, "the image could not be made: \(reason)")
            carryOut(.refusal(refusal), exchange, context)
        case .success, nil:
            let answer = Answer(
                to: request, route, standard: rate, stored: try? stored?.get(),
                received: exchange.received ?? BodyDigest(), ledger: ledger)
            carryOut(answer, exchange, context)
        }
    }
}
