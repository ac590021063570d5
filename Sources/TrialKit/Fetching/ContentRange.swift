// SPDX-License-Identifier: Apache-2.0

/// The part of a body in a response: the field `Content-Range`, RFC 9110, section 14.4.
public struct ContentRange: Hashable, Sendable {
    /// The first byte of the part.
    public let first: Int
    /// The last byte of the part.
    public let last: Int
    /// The length of the whole body; `nil` if it is unknown.
    public let total: Int?

    /// Parses `bytes 5-9/10` or `bytes 5-9/*`; `nil` for anything else.
    public init?(parsing text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last
        else { return nil }
        total = parts[1] == "*" ? nil : Self.number(parts[1])
        if parts[1] != "*" {
            guard let total, last < total else { return nil }
        }
        self.first = first
        self.last = last
    }

    /// Accepts digits only, because `Int` would take a sign as well.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
