// SPDX-License-Identifier: Apache-2.0

/// Splits a text into tokens; any character yields one, so that only the parser reports errors.
package struct FormulaLexer {
    private let scalars: [Unicode.Scalar]
    private var index: Int

    package init(_ scalars: [Unicode.Scalar], start: Int) {
        self.scalars = scalars
        index = start
    }

    package mutating func next() -> Token {
        while let scalar = peek(), scalar.properties.isWhitespace { index += 1 }
        let start = index
        guard let first = peek() else { return token(.end, from: start) }
        if Self.isDigit(first) {
            takeNumber()
            return token(.number, from: start)
        }
        if Self.isLetter(first) {
            while let scalar = peek(), Self.isLetter(scalar) || Self.isDigit(scalar) { index += 1 }
            return token(.word, from: start)
        }
        index += (first == "<" || first == ">") && peek(1) == "=" ? 2 : 1
        return token(.symbol, from: start)
    }

    /// Takes `1`, `1.25`, `1e3` or `2.5e-3`: a point or an `e` belongs to a number only if a digit follows.
    private mutating func takeNumber() {
        takeDigits()
        if peek() == ".", let digit = peek(1), Self.isDigit(digit) {
            index += 1
            takeDigits()
        }
        guard peek() == "e" || peek() == "E" else { return }
        let sign = peek(1) == "+" || peek(1) == "-" ? 1 : 0
        if let digit = peek(1 + sign), Self.isDigit(digit) {
            index += 1 + sign
            takeDigits()
        }
    }

    private mutating func takeDigits() {
        while let scalar = peek(), Self.isDigit(scalar) { index += 1 }
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        index + distance < scalars.count ? scalars[index + distance] : nil
    }

    private func token(_ kind: Token.Kind, from start: Int) -> Token {
        let text = scalars[start..<index].reduce(into: "") { $0.unicodeScalars.append($1) }
        return Token(kind: kind, text: text, start: start, end: index)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    package struct Token: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// Digits, with an optional fraction and exponent.
            case number
            case word
            case symbol
            case end
        }

        package var kind: Kind
        package var text: String
        package var start: Int
        /// The index after its last scalar.
        package var end: Int

        /// The position from 1.
        package var column: Int { start + 1 }

        package var found: String? { kind == .end ? nil : text }
    }
}
