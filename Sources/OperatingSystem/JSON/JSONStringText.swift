// SPDX-License-Identifier: Apache-2.0

enum JSONStringText {
    /// Decodes the text between quotation marks; `nil` for invalid UTF-8, escapes or surrogates.
    static func text(of bytes: UnsafeBufferPointer<UInt8>, isEscaped: Bool) -> String? {
        guard isEscaped else { return String(validating: bytes, as: UTF8.self) }
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            guard let letter = rest.popFirst() else { return nil }
            if letter == UInt8(ascii: "u") {
                guard let scalar = scalar(&rest) else { return nil }
                plain.append(contentsOf: Array(String(Character(scalar)).utf8))
            } else {
                guard let meant = letters[letter] else { return nil }
                plain.append(meant)
            }
        }
        return String(validating: plain, as: UTF8.self)
    }

    private static let letters: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// Returns the scalar after `\u`, which may be a pair of surrogates.
    private static func scalar(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
        guard let first = unit(&rest) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let second = unit(&rest),
            UTF16.isTrailSurrogate(second)
        else { return nil }
        return Unicode.Scalar(0x10000 + ((UInt32(first) & 0x3FF) << 10 | UInt32(second) & 0x3FF))
    }

    private static func unit(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> UInt16? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(UInt16?.some(0)) { value, byte in
            guard let value, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            return value << 4 | UInt16(digit)
        }
    }
}
