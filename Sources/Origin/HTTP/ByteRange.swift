// SPDX-License-Identifier: Apache-2.0

/// The range of a `Range` header.
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
        case .from(let first):
            first < byteCount ? first..<byteCount : nil
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
