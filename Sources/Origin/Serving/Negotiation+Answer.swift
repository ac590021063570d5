// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

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
