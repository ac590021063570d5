// SPDX-License-Identifier: Apache-2.0

/// A position in the text of a `/proc` file, with parsing that allocates nothing.
///
/// The text is passed to every call: a stored `Span` would need lifetimes that the language cannot express yet.
struct ByteScanner {
    var position = 0

    func isAtEnd(of text: Span<UInt8>) -> Bool { position >= text.count }

    /// Skips spaces and tabs, not line ends.
    mutating func skipBlanks(in text: Span<UInt8>) {
        while position < text.count, text[position] == UInt8(ascii: " ") || text[position] == UInt8(ascii: "\t") {
            position += 1
        }
    }

    /// Skips to the next space, tab or line end.
    mutating func skipWord(in text: Span<UInt8>) {
        while position < text.count, !Self.endsWord(text[position]) { position += 1 }
    }

    /// Skips the rest of the line and its end.
    mutating func skipLine(in text: Span<UInt8>) {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
        position += 1
    }

    /// Skips a literal and returns true, or stays and returns false.
    mutating func skip(_ literal: StaticString, in text: Span<UInt8>) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard position <= text.count - count else { return false }
        for offset in 0..<count where text[position + offset] != literal.utf8Start[offset] {
            return false
        }
        position += count
        return true
    }

    /// Reads a decimal number that is a whole word; `nil` if there is none or it overflows.
    mutating func number(in text: Span<UInt8>) -> Int? {
        let start = position
        var value = 0
        while position < text.count, !Self.endsWord(text[position]) {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(Int(digit))
            guard !isTooLarge, !overflow else { return nil }
            value = sum
            position += 1
        }
        return position > start ? value : nil
    }

    /// Reads a lower-case hexadecimal number of up to 64 bits; `nil` if there is none.
    mutating func hexadecimal(in text: Span<UInt8>) -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < text.count, let digit = Self.hexadecimalDigit(text[position]) {
            guard value >> 60 == 0 else { return nil }
            value = value << 4 | digit
            position += 1
        }
        return position > start ? value : nil
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }

    /// Reads the value of a line `Name:   123 kB`; returns `nil` and stays if the line has another name.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` with the name if no size in `kB` follows it.
    mutating func kilobytes(
        _ name: StaticString, in text: Span<UInt8>
    ) throws(MemProbeError) -> ByteCount? {
        let start = position
        guard skip(name, in: text), skip(":", in: text) else {
            position = start
            return nil
        }
        skipBlanks(in: text)
        guard let kilobytes = number(in: text), skip(" kB", in: text),
            position == text.count || text[position] == UInt8(ascii: "\n"),
            kilobytes <= Int.max / 1024
        else { throw MemProbeError(.malformed, source: "\(name)") }
        return ByteCount(procKilobytes: kilobytes)
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
    }
}

/// A value parsed from the kernel's text without copying it.
package protocol ParsedText {
    init(parsing text: Span<UInt8>) throws(MemProbeError)
}

extension ParsedText {
    package init(parsing text: String) throws(MemProbeError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }
}
