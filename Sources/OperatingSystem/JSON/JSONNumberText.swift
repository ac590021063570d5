// SPDX-License-Identifier: Apache-2.0

/// Converts the text of numbers that the scanner has validated.
enum JSONNumberText {
    /// Returns a whole number; `nil` if it is not whole or does not fit.
    static func integer<Number: FixedWidthInteger>(_ text: UnsafeBufferPointer<UInt8>, as type: Number.Type) -> Number?
    {
        if let plain = digits(text, as: type) { return plain }
        // `1.0` and `1e3` are whole numbers too.
        let isPlain = text.allSatisfy { $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }
        guard !isPlain, let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
        // Above 2⁵³ a double has lost digits that the text has.
        return value.magnitude <= 9_007_199_254_740_992 ? Number(exactly: value) : nil
    }

    /// Returns a floating-point number; `nil` if its magnitude is too large or too small.
    static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        // A double holds every whole number of 15 digits.
        if text.count <= 15, text.first != UInt8(ascii: "-"), let plain = digits(text, as: Int.self) {
            return Double(plain)
        }
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        let mantissa = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let isZero = mantissa.allSatisfy { $0 <= UInt8(ascii: "0") }
        return value == 0 && !isZero ? nil : value
    }

    private static func digits<Number: FixedWidthInteger>(
        _ text: UnsafeBufferPointer<UInt8>, as type: Number.Type
    ) -> Number? {
        let isNegative = text.first == UInt8(ascii: "-")
        var value: Number = 0
        for byte in isNegative ? text.dropFirst() : text[...] {
            guard let digit = Number(exactly: byte &- UInt8(ascii: "0")), digit < 10 else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isBeyond) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !isTooLarge, !isBeyond else { return nil }
            value = sum
        }
        return value
    }
}
