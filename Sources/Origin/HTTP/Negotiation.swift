// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// An answer that asks the client for one more request: with credentials, or to another address.
package enum Negotiation: Hashable, Sendable {
    /// The status, the target and the cookie of a redirect.
    package struct Redirect: Hashable, Sendable {
        package var status: Int
        package var target: String
        /// The name of a cookie to set, or `nil` for none.
        package var cookie: String?

        package init(status: Int, target: String, cookie: String? = nil) {
            self.status = status
            self.target = target
            self.cookie = cookie
        }
    }

    /// A 401 for Basic until the request has the credentials `user` and `password`.
    case basic
    /// A 401 for Digest until the request has an answer of that form, whose hash is not verified.
    case digest
    case redirect(Redirect)

    /// Parses the segments of a path, such as `auth` and `basic`; returns `nil` for any other path.
    package init?(_ segments: [String], query: [String: String]) throws(Refusal) {
        guard segments.count == 2 else { return nil }
        switch (segments[0], segments[1]) {
        case ("auth", "basic"): self = .basic
        case ("auth", "digest"): self = .digest
        case ("redirect", let status): self = .redirect(try Redirect(status, query))
        default: return nil
        }
    }

    /// The methods that are answered: a redirect may be that of a body.
    var methods: [HTTPMethod] {
        if case .redirect = self { [.GET, .HEAD, .POST, .PUT] } else { [.GET, .HEAD] }
    }
}

extension Negotiation.Redirect {
    private static let statuses = [301, 302, 303, 307, 308]

    /// Parses the status, and `to` and `cookie` of the query.
    init(_ status: String, _ query: [String: String]) throws(Refusal) {
        guard let status = Int(status), Self.statuses.contains(status) else {
            throw Refusal(
                .badRequest,
                "invalid status '\(status)': expected one of \(Self.statuses.map(String.init).joined(separator: ", "))")
        }
        guard let target = query["to"], !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Refusal(.badRequest, "invalid to: expected a path or a URL, such as /bytes/1KiB")
        }
        guard query["cookie"]?.allSatisfy({ $0.isASCII && $0.isLetter }) != false, query["cookie"] != "" else {
            throw Refusal(.badRequest, "invalid cookie: expected a name of letters")
        }
        self.init(status: status, target: target, cookie: query["cookie"])
    }
}
