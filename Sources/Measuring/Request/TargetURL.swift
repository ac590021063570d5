// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Runs

/// The URL of `--url` in the one spelling that every client gets: ASCII, and the same request line from all of them.
///
/// Clients disagree on anything else. They encode non-ASCII characters once or twice, resolve `..` or send it, write an
/// address of three numbers as four, and take 99999 for port 34463.
package enum TargetURL {
    /// Returns the URL in its spelling: percent-encoding as it was given, anything else that has to be encoded, encoded
    /// once; no fragment, no default port; scheme and host in lower case.
    /// - Throws: ``FetchBenchError`` with the part, its value and what is accepted; it contains no credentials.
    package static func canonical(_ text: String) throws -> String {
        guard let separator = text.firstRange(of: "://") else {
            throw FetchBenchError(usage: "invalid --url: the scheme is missing; expected http://… or https://…")
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard let standardPort = ["http": 80, "https": 443][scheme] else {
            throw FetchBenchError(usage: "invalid --url scheme \(quoted(scheme)): expected http or https")
        }
        // A fragment is for who reads the document, and is never sent.
        let rest = text[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { !"/?".contains($0) }
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != "?" }
        let user = authority.lastIndex(of: "@").map { authority[..<$0] }
        let place = user.map { authority[authority.index(after: $0.endIndex)...] } ?? authority
        var url = scheme + "://"
        if let user { url += try encoded(user, besides: ":", part: "user") + "@" }
        url += try canonicalPlace(place, standardPort: standardPort)
        url += try withoutDots(try encoded(path, besides: "/:@", part: "path"))
        if path.endIndex < target.endIndex {
            url += "?" + (try encoded(target[target.index(after: path.endIndex)...], besides: "/:@?", part: "query"))
        }
        return url
    }

    static func isOverTLS(_ url: String) -> Bool { url.hasPrefix("https:") }

    package static func isIPv6(_ url: String) -> Bool {
        url.contains(/^https?:\/\/([^\/?@]*@)?\[/)
    }

    // MARK: - Parts

    /// Encodes what may not stand in a part; percent signs have to be those of an encoding.
    private static func encoded(
        _ text: Substring, besides punctuation: String, part: String
    ) throws -> String {
        let allowed = Set((letters + "-._~!$&'()*+,;=" + punctuation).utf8)
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = bytes[index...].dropFirst().prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
                    throw FetchBenchError(
                        usage:
                            "invalid --url \(part): % must be followed by two hexadecimal digits; write %25 for a percent sign"
                    )
                }
                encoded.append(byte)
            case 0..<0x20, 0x7F:
                throw FetchBenchError(
                    usage: "invalid --url \(part): encode control characters, such as %0A for a line break")
            case UInt8(ascii: "\\"):
                throw FetchBenchError(
                    usage: "invalid --url \(part): clients disagree on backslashes; write / or %5C")
            case _ where allowed.contains(byte): encoded.append(byte)
            default: encoded += Array(("%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)).utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    /// Resolves the segments `.` and `..`, as browsers do before they send a path; an empty path is `/`.
    private static func withoutDots(_ path: String) throws -> String {
        var segments: [Substring] = []
        let all = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            let plain = segment.replacing(/%2[eE]/, with: ".")
            guard plain != "." && plain != ".." else {
                guard plain == segment else {
                    throw FetchBenchError(
                        usage:
                            "invalid --url path: clients disagree on the segment \(quoted(String(segment))); write the "
                            + "resolved path")
                }
                if plain == ".." { _ = segments.popLast() }
                if isLast { segments.append("") }
                continue
            }
            segments.append(segment)
        }
        return "/" + segments.joined(separator: "/")
    }

    private static func canonicalPlace(_ place: Substring, standardPort: Int) throws -> String {
        guard place.hasPrefix("[") || place.count(where: { $0 == ":" }) < 2,
            !place.hasPrefix("[") || place.contains("]")
        else {
            throw FetchBenchError(
                usage: "invalid --url host \(quoted(String(place))): write IPv6 addresses in brackets, such as [::1]")
        }
        let host: Substring
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
            host = place[...end]
        } else {
            host = place.prefix { $0 != ":" }
        }
        let rest = place[host.endIndex...]
        guard rest.isEmpty || rest.first == ":" else {
            throw FetchBenchError(usage: "invalid --url host \(quoted(String(place))): expected HOST or HOST:PORT")
        }
        let port = try port(rest.dropFirst())
        let name = host.hasPrefix("[") ? try ipv6(host) : try self.host(String(host))
        return name + (port.map { $0 == standardPort ? "" : ":\($0)" } ?? "")
    }

    private static func port(_ text: Substring) throws -> Int? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(text), (1...65_535).contains(port) else {
            throw FetchBenchError(usage: "invalid --url port \(quoted(String(text))): expected 1 to 65535")
        }
        return port
    }

    private static func ipv6(_ text: Substring) throws -> String {
        var address = in6_addr()
        let inside = text.dropFirst().dropLast()
        guard inet_pton(AF_INET6, String(inside), &address) == 1 else {
            throw FetchBenchError(
                usage:
                    "invalid --url host \(quoted(String(text))): expected an IPv6 address without a zone, such as [::1]"
            )
        }
        return text.lowercased()
    }

    private static func host(_ text: String) throws -> String {
        guard !text.isEmpty else {
            throw FetchBenchError(usage: "invalid --url: the host is missing; expected http://HOST/PATH")
        }
        var name = text
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            var components = URLComponents()
            components.scheme = "http"
            components.host = name
            // The host in letters that the domain name system has (Punycode).
            name = components.encodedHost ?? name
        }
        let allowed = Set((letters + "-._").utf8)
        guard name.utf8.allSatisfy(allowed.contains) else {
            throw FetchBenchError(usage: "invalid --url host \(quoted(text)): expected a host name or an address")
        }
        let last = name.split(separator: ".").last ?? ""
        guard last.first?.isNumber == true else { return name.lowercased() }
        var address = in_addr()
        guard inet_pton(AF_INET, name, &address) == 1 else {
            throw FetchBenchError(
                usage: "invalid --url host \(quoted(text)): write IPv4 addresses as four numbers, such as 127.0.0.1")
        }
        return name
    }

    private static func quoted(_ text: String) -> String { "'\(SafeText.forTerminal(text))'" }
}
