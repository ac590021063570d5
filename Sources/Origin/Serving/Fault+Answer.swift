// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

extension Fault {
    /// The answer of this fault; `hero` is the image that ``truncatedImage`` is cut from.
    package func answer(_ delivery: Delivery, hero: Representation?) throws(Refusal) -> Answer {
        switch self {
        case .status(let code): .response(Self.response(status: code))
        case .redirect(1): .response(Self.redirect(to: "/bytes/1KiB"))
        case .redirect(let count): .response(Self.redirect(to: "/faults/redirect/\(count - 1)"))
        case .redirectLoop: .response(Self.redirect(to: "/faults/redirect-loop"))
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

    /// A status with its reason as the body, if the status may have one.
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
            throw Refusal(.badRequest, error.what)
        }
        return ResponsePlan(
            status: .ok, headers: ["Content-Type": GeneratedBytes.mediaType, "Content-Length": "\(promised)"],
            content: ResponsePlan.Content(source, 0..<sent), rate: delivery.rate, ending: ending)
    }
}
