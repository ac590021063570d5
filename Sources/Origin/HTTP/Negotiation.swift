// SPDX-License-Identifier: Apache-2.0

import Glibc
package import NIOHTTP1

/// An answer that asks the client for one more request: with credentials, or to another address.
package enum Negotiation: Hashable, Sendable {
    package struct Redirect: Hashable, Sendable {
        package var status: Int
        package var target: String
        package var cookie: String?

        package init(status: Int, target: String, cookie: String? = nil) {
            (self.status, self.target, self.cookie) = (status, target, cookie)
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

package struct AcceptedEncodings: Hashable, Sendable {
    package let allowsGzip: Bool

    /// Reads the values of the header; without one, nothing is compressed.
    ///
    /// RFC 9110, section 12.5.3: a weight of 0 forbids a coding, and `*` matches codings that are not listed.
    package init(_ values: [String]) {
        var named: Bool?
        var others: Bool?
        for item in values.flatMap({ $0.lowercased().split(separator: ",") }) {
            let parts = item.split(separator: ";").map(Self.trimmed)
            let isAllowed = parts.dropFirst().allSatisfy { !Self.isZero($0) }
            switch parts.first {
            case "gzip", "x-gzip": named = named == true || isAllowed
            case "*": others = isAllowed
            default: break
            }
        }
        allowsGzip = named ?? others ?? false
    }

    /// True if a parameter is a weight that forbids: 0 or not a number.
    private static func isZero(_ parameter: String) -> Bool {
        let pair = parameter.split(separator: "=", maxSplits: 1).map(trimmed)
        guard pair.first == "q" else { return false }
        return !(pair.count == 2 && (Double(pair[1]) ?? 0) > 0)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

/// A strong validator: the identity of a body, in quotes as in the header.
package struct EntityTag: Hashable, Sendable {
    package let text: String

    package init(_ identity: String) { text = "\"\(identity)\"" }

    package var compressed: EntityTag { EntityTag("\(text.dropFirst().dropLast())-gzip") }

    /// True if an `If-None-Match` contains this tag or `*`.
    ///
    /// Weak tags are compared without their mark (RFC 9110, section 13.1.2).
    package func matches(ifNoneMatch values: [String]) -> Bool {
        values.flatMap { $0.split(separator: ",") }.contains { value in
            let tag = value.drop { $0 == " " }.prefix { $0 != " " }
            return tag == "*" || tag == text || (tag.hasPrefix("W/") && tag.dropFirst(2) == text)
        }
    }

    /// True if an `If-Range` is absent or exactly this tag.
    ///
    /// A date never matches, because the origin sends no `Last-Modified`.
    package func allowsRange(ifRange value: String?) -> Bool {
        value.map { $0 == text } ?? true
    }
}

package enum ByteRange: Hashable, Sendable {
    /// A range with both ends included: `bytes=0-99`.
    case closed(first: Int, last: Int)
    /// The bytes from an offset on: `bytes=100-`.
    case from(first: Int)
    /// The last bytes: `bytes=-100`.
    case suffix(count: Int)

    /// Parses one range; returns `nil` for several, for another unit and for malformed text.
    ///
    /// A server may ignore a `Range` it does not understand (RFC 9110, section 14.2), so `nil` means the whole body.
    package init?(parsing text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let bounds = parts[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        switch (Self.number(bounds[0]), Self.number(bounds[1])) {
        case (.number(let first), .number(let last)) where first <= last: self = .closed(first: first, last: last)
        case (.number(let first), .nothing): self = .from(first: first)
        case (.nothing, .number(let count)): self = .suffix(count: count)
        default: return nil
        }
    }

    /// The offsets in a body of this size, or `nil` if the range cannot be satisfied.
    package func resolved(in byteCount: Int) -> Range<Int>? {
        switch self {
        case .closed(let first, let last):
            first < byteCount ? first..<min(last, byteCount - 1) + 1 : nil
        case .from(let first): first < byteCount ? first..<byteCount : nil
        case .suffix(let count):
            count > 0 && byteCount > 0 ? max(0, byteCount - count)..<byteCount : nil
        }
    }

    /// One bound of a range, of digits only: `Int` would accept a sign too.
    private enum Bound {
        case nothing
        case number(Int)
        case malformed
    }

    /// Parses one bound; a number that overflows `Int` is larger than every body.
    private static func number(_ text: Substring) -> Bound {
        let digits = text.drop { $0 == " " || $0 == "\t" }
        guard !digits.isEmpty else { return .nothing }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .malformed }
        return .number(Int(digits) ?? .max)
    }
}

/// A time in the format of headers (IMF-fixdate, RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Computed here because `strftime(3)` uses the names of the machine's locale.
package struct HTTPDate: Hashable, Sendable {
    package let text: String

    package static var now: HTTPDate { HTTPDate(secondsSince1970: Int(time(nil))) }

    /// Formats a time from 1970 on.
    package init(secondsSince1970 seconds: Int) {
        let days = seconds / 86_400
        let (year, month, day) = Self.date(days)
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(Self.padded).joined(separator: ":")
        text = "\(Self.weekdays[days % 7]), \(Self.padded(day)) \(Self.months[month - 1]) \(year) \(clock) GMT"
    }

    /// 1 January 1970 was a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The Gregorian date of a number of days after 1 January 1970.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // Years that begin in March have their leap day at the end: 153 days in every five months.
        let sinceMarch = days + 719_468
        let era = sinceMarch / 146_097
        let ofEra = sinceMarch % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * ofYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, ofYear - (153 * index + 2) / 5 + 1)
    }
}

package struct Refusal: Error, Hashable, Sendable {
    package var status: HTTPResponseStatus
    package var text: String

    package var allowedMethods: String

    package init(_ status: HTTPResponseStatus, _ text: String, allowedMethods: String = "GET, HEAD") {
        (self.allowedMethods, self.status, self.text) = (allowedMethods, status, text)
    }
}
