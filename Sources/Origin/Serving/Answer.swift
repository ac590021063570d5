// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1
package import Runs

package enum Answer: Sendable {
    case response(ResponsePlan)
    /// Writes bytes past the encoder and closes the connection.
    case raw(RawAnswer)
    /// Sends nothing and keeps the connection open.
    case silence
}

/// A response, decided before a byte of it is sent.
package struct ResponsePlan: Sendable {
    package struct Content: Sendable {
        package var source: any BodySource
        package var range: Range<Int>
        package var isCompressed = false
        /// The bytes in each HTTP chunk; `nil` for a chunk for each write.
        package var chunk: Int?
        /// The number of sent bytes after which sending ends, or `nil` for no limit.
        package var limit: Int?
        package var endingAtLimit = Ending.close

        /// Makes the bytes of a body of unknown length, or `nil` if `source` has them.
        package var stream: (@Sendable () -> any BodyReader)?

        package init(_ stream: @escaping @Sendable () -> any BodyReader) {
            self.init(MemoryBytes([]), 0..<0)
            self.stream = stream
        }

        package init(_ source: any BodySource, _ range: Range<Int>) {
            (self.source, self.range) = (source, range)
        }
    }

    package enum Ending: Hashable, Sendable {
        case complete
        /// The connection is closed before the response is complete.
        case close
        /// Nothing more is sent; the connection stays open.
        case stall
        case reset
    }

    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders = [:]
    package var content: Content?
    package var rate = TransferRate.unlimited
    package var ending = Ending.complete
    /// False for the counts of the origin itself.
    package var isCounted = true
    package var delayMilliseconds = 0

    /// Returns the same response, ended after `size` bytes of its body by closing the connection.
    package func cut(after size: ByteCount?) -> ResponsePlan {
        var plan = self
        plan.content?.limit = size?.rawValue
        return plan
    }

    /// Returns the same response, stalled after `size` bytes of its body with the connection left open.
    package func stalled(after size: ByteCount?) -> ResponsePlan {
        guard let size else { return self }
        var plan = cut(after: size)
        plan.content?.endingAtLimit = .stall
        return plan
    }

    package static func small(
        _ status: HTTPResponseStatus, type: String, _ bytes: [UInt8], headers: HTTPHeaders = [:]
    ) -> ResponsePlan {
        var headers = headers
        headers.add(name: "Content-Type", value: type)
        headers.add(name: "Content-Length", value: "\(bytes.count)")
        return ResponsePlan(
            status: status, headers: headers, content: Content(MemoryBytes(bytes), 0..<bytes.count))
    }

    package static func text(
        _ status: HTTPResponseStatus, _ text: String, headers: HTTPHeaders = [:]
    ) -> ResponsePlan {
        small(status, type: "text/plain; charset=utf-8", Array((text + "\n").utf8), headers: headers)
    }
}

extension Answer {
    /// Computes the answer from nothing but the request and these values.
    ///
    /// - Parameters:
    ///   - standard: The rate of requests that specify none.
    ///   - stored: The item of ``Route/needed``, or `nil` if it could not be made.
    ///   - received: The digest of the request's body so far.
    ///   - ledger: The counts so far, which include the visits of changing bodies.
    package init(
        to request: OriginRequest, _ route: Route, standard: TransferRate, stored: Representation?,
        received: BodyDigest = BodyDigest(), ledger: Ledger
    ) {
        do throws(Refusal) {
            let delivery = try Delivery(request, standard: standard)
            switch route {
            case .health: self = .response(ResponsePlan(status: .noContent))
            case .statistics: self = .observation(try ledger.statisticsJSON())
            case .requests(let path):
                self = try .requests(ledger.requests.filter { path == nil || $0.path == path }, to: request)
            case .computed(let body):
                let version = try delivery.version(of: body.body, for: request, ledger)
                self = .response(Representation(version).response(to: request, delivery))
            case .sink:
                var plan = ResponsePlan.small(.ok, type: "application/json", received.json)
                plan.delayMilliseconds = delivery.delayMilliseconds
                self = .response(plan)
            case .image, .manifest:
                guard delivery.changesAfter == nil else {
                    throw Refusal(.badRequest, "an image does not change; try /bytes/64MiB?changes-after=1")
                }
                guard let stored else { throw Refusal(.internalServerError, "the image could not be made") }
                self = .response(stored.response(to: request, delivery))
            case .fault(let fault): self = try fault.answer(delivery, hero: stored)
            case .negotiation(let negotiation):
                self = negotiation.answer(to: request, delivery)
            }
        } catch {
            self = .refusal(error)
        }
    }

    private static func observation(_ json: [UInt8]) -> Answer {
        var plan = ResponsePlan.small(.ok, type: "application/json", json)
        plan.isCounted = false
        return .response(plan)
    }

    /// The log as JSON, encoded while it is sent because the whole could be too large to hold.
    private static func requests(_ records: [RequestRecord], to request: OriginRequest) throws(Refusal) -> Answer {
        var plan = ResponsePlan(status: .ok, headers: ["Content-Type": "application/json"])
        plan.content = ResponsePlan.Content { RequestsReader(records) }
        plan.isCounted = false
        if request.understandsChunked, request.method != .HEAD {
            plan.headers.add(name: "Transfer-Encoding", value: "chunked")
        } else {
            plan.headers.add(name: "Content-Length", value: "\(try RequestsReader(records).byteCount())")
        }
        return .response(plan)
    }

    package static func refusal(_ refusal: Refusal) -> Answer {
        let headers: HTTPHeaders = refusal.status == .methodNotAllowed ? ["Allow": refusal.allowedMethods] : [:]
        return .response(.text(refusal.status, refusal.text, headers: headers))
    }
}

extension Delivery {
    /// Returns the version of a body that this request gets; counts the request if the body changes.
    fileprivate func version(
        of body: any GeneratedBody, for request: OriginRequest, _ ledger: Ledger
    ) throws(Refusal) -> any GeneratedBody {
        guard let changesAfter else { return body }
        return try ledger.visits(to: request) > changesAfter ? body.changed : body
    }
}

extension Negotiation {
    package func answer(to request: OriginRequest, _ delivery: Delivery) -> Answer {
        let authorization = request.headers.first(name: "Authorization")
        return switch self {
        case .redirect(let redirect): .response(redirect.response)
        case .basic where authorization == Self.basicCredentials: .response(Self.body(request, delivery))
        case .basic: .response(Self.challenge("Basic realm=\"fetchbench\""))
        case .digest where Self.isDigest(authorization ?? ""): .response(Self.body(request, delivery))
        case .digest:
            .response(
                Self.challenge("Digest realm=\"fetchbench\", qop=\"auth\", algorithm=MD5, nonce=\"\(Self.nonce)\""))
        }
    }

    /// Base64 of `user:password`.
    private static let basicCredentials = "Basic dXNlcjpwYXNzd29yZA=="

    /// Constant, because nothing here is secret.
    private static let nonce = "8f1c0d6a2b"

    /// Indicates whether a field has the form of an answer to the challenge.
    private static func isDigest(_ field: String) -> Bool {
        field.hasPrefix("Digest ")
            && ["username=\"user\"", "nonce=\"\(nonce)\"", "response=\""].allSatisfy(field.contains)
    }

    private static func challenge(_ scheme: String) -> ResponsePlan {
        .text(.unauthorized, "401 Unauthorized", headers: ["WWW-Authenticate": scheme])
    }

    private static func body(_ request: OriginRequest, _ delivery: Delivery) -> ResponsePlan {
        Representation(GeneratedBytes(checked: 1024, seed: 0)).response(to: request, delivery)
    }
}

extension Negotiation.Redirect {
    fileprivate var response: ResponsePlan {
        var headers: HTTPHeaders = ["Location": target, "Content-Length": "0"]
        if let cookie { headers.add(name: "Set-Cookie", value: "\(cookie)=1; Path=/") }
        return ResponsePlan(status: HTTPResponseStatus(statusCode: status), headers: headers)
    }
}

extension Fault {
    /// The answer of this fault; `hero` is the image that ``truncatedImage`` is cut from.
    package func answer(_ delivery: Delivery, hero: Representation?) throws(Refusal) -> Answer {
        switch self {
        case .status(let code): .response(Self.response(status: code))
        case .redirect(1): .response(Self.redirect(to: "/bytes/1KiB"))
        case .redirect(let count): .response(Self.redirect(to: "/faults/redirect/\(count - 1)"))
        case .redirectLoop: .response(Self.redirect(to: "/faults/redirect-loop"))
        case .redirectBody(let mebibytes): .response(Self.redirect(withBodyOf: mebibytes << 20, delivery))
        case .headers(let count): .response(.text(.ok, "ok", headers: Self.fields(count) { ("X\($0)", "b") }))
        case .cookies(let count):
            .response(.text(.ok, "ok", headers: Self.fields(count) { ("Set-Cookie", "c\($0)=b") }))
        case .empty: .response(.small(.ok, type: GeneratedBytes.mediaType, []))
        case .short(let part): .response(try part.response(.close, delivery))
        case .stall(let part): .response(try part.response(.stall, delivery))
        case .reset(let part): .response(try part.response(.reset, delivery))
        case .endless: .response(Self.endless(delivery))
        case .silent: .silence
        case .raw(let answer): .raw(answer)
        case .hugeHeader: .response(.text(.ok, "huge header", headers: ["X-Huge": Self.hugeValue]))
        case .textImage: .response(.small(.ok, type: "image/jpeg", Array(Self.imageText.utf8)))
        case .truncatedImage: .response(try Self.truncated(hero, delivery))
        case .bombImage: .response(.small(.ok, type: "image/jpeg", BombImage.bytes))
        }
    }

    private static func response(status code: Int) -> ResponsePlan {
        let status = HTTPResponseStatus(statusCode: code)
        guard status.mayHaveResponseBody else { return ResponsePlan(status: status) }
        // RFC 9110, section 15.5.2: a 401 has to say how to authenticate.
        let headers: HTTPHeaders = code == 401 ? ["WWW-Authenticate": "Basic realm=\"fetchbench\""] : [:]
        return .text(status, "\(code) \(status.reasonPhrase)", headers: headers)
    }

    private static func redirect(to path: String) -> ResponsePlan {
        ResponsePlan(status: .found, headers: ["Location": path, "Content-Length": "0"])
    }

    private static func redirect(withBodyOf byteCount: Int, _ delivery: Delivery) -> ResponsePlan {
        let source = GeneratedBytes(checked: byteCount, seed: 0)
        return ResponsePlan(
            status: .found, headers: ["Location": "/bytes/1KiB", "Content-Length": "\(byteCount)"],
            content: ResponsePlan.Content(source, 0..<byteCount), rate: delivery.rate)
    }

    private static func fields(_ count: Int, _ field: (Int) -> (String, String)) -> HTTPHeaders {
        HTTPHeaders((0..<count).map(field))
    }

    /// A chunked body of the largest size that can be generated.
    private static func endless(_ delivery: Delivery) -> ResponsePlan {
        let source = GeneratedBytes(checked: GeneratedBytes.maximumByteCount, seed: 0)
        return ResponsePlan(
            status: .ok, headers: ["Content-Type": GeneratedBytes.mediaType, "Transfer-Encoding": "chunked"],
            content: ResponsePlan.Content(source, 0..<source.byteCount), rate: delivery.rate)
    }

    private static func truncated(_ hero: Representation?, _ delivery: Delivery) throws(Refusal) -> ResponsePlan {
        guard let hero else { throw Refusal(.internalServerError, "the image could not be made") }
        let count = hero.source.byteCount * 6 / 10
        return ResponsePlan(
            status: .ok, headers: ["Content-Type": hero.mediaType, "Content-Length": "\(count)"],
            content: ResponsePlan.Content(hero.source, 0..<count), rate: delivery.rate)
    }

    /// A value of 1 MiB: more than any measured client accepts.
    private static let hugeValue = String(repeating: "x", count: 1 << 20)

    private static let imageText = "This is not a picture, despite its type.\n"
}

extension Fault.Part {
    fileprivate func response(
        _ ending: ResponsePlan.Ending, _ delivery: Delivery
    ) throws(Refusal) -> ResponsePlan {
        let source: GeneratedBytes
        do {
            source = try GeneratedBytes(byteCount: promised, seed: 0)
        } catch {
            throw Refusal(.badRequest, "\(error)")
        }
        return ResponsePlan(
            status: .ok, headers: ["Content-Type": GeneratedBytes.mediaType, "Content-Length": "\(promised)"],
            content: ResponsePlan.Content(source, 0..<sent), rate: delivery.rate, ending: ending)
    }
}
