// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1

package struct OriginRequest: Sendable {
    package var method: HTTPMethod
    /// The decoded path, with its first slash and without the query.
    package var path: String
    /// The values of the query, with the first value of each repeated name.
    package var query: [String: String]
    package var headers: HTTPHeaders
    package var understandsChunked: Bool
    package var keepsAlive: Bool

    /// Parses the head of a request; returns `nil` if its target is not a path that can be decoded.
    package init?(_ head: HTTPRequestHead) {
        let target = Self.originForm(head.uri)
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let encoded = parts.first, encoded.hasPrefix("/"), let path = Self.decoded(encoded) else { return nil }
        self.method = head.method
        self.path = path
        self.query = [:]
        self.headers = head.headers
        self.understandsChunked = (head.version.major, head.version.minor) >= (1, 1)
        // A stream of HTTP/2 never ends its connection.
        self.keepsAlive = head.isKeepAlive || head.version.major >= 2
        for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.count > 1 ? pair[1] : "") else {
                return nil
            }
            if query[name] == nil { query[name] = value }
        }
    }

    /// True if the client waits for `100 Continue` before it sends the body.
    package static func expectsContinue(_ head: HTTPRequestHead) -> Bool {
        (head.version.major, head.version.minor) >= (1, 1)
            && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// The target without scheme and authority, which a client with a proxy setting sends.
    private static func originForm(_ target: String) -> Substring {
        guard let scheme = ["http://", "https://"].first(where: target.hasPrefix) else { return target[...] }
        let rest = target.dropFirst(scheme.count)
        return rest.drop { $0 != "/" }
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init)
    }
}
