// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Texts

extension JSONDecoder {
    /// Decodes one value, like ``decode(_:from:)``, but with the place of what is not JSON in the error.
    ///
    /// - Parameter strictly: True to refuse what Foundation accepts in a document of another program: `null`, duplicate keys
    ///   (it takes either), a byte-order mark, and mistakes in what the type does not ask for.
    /// - Throws: `FetchBenchError` for invalid JSON, `DecodingError` for a value that is not of the type.
    package func value<Value: Decodable>(
        _ type: Value.Type, in data: Data, strictly: Bool = false
    ) throws -> Value {
        if strictly { try JSONSyntax.check(data, strictly: true) }
        do {
            return try decode(type, from: data)
        } catch {
            try JSONSyntax.check(data, strictly: false)
            throw error
        }
    }
}

/// Checks every byte of a JSON document by RFC 8259.
private struct JSONSyntax {
    /// Foundation's nesting limit: deeper values could overflow a stack.
    private static let deepest = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private let isStrict: Bool
    private var offset = 0
    private var depth = 0
    /// The place of the value being read; kept only in a strict check.
    private var path: [Key] = []

    static func check(_ data: Data, strictly isStrict: Bool) throws {
        try data.withUnsafeBytes { bytes in
            var syntax = JSONSyntax(bytes: bytes.bindMemory(to: UInt8.self), isStrict: isStrict)
            syntax.skipSpace()
            try syntax.checkValue()
            syntax.skipSpace()
            guard syntax.offset == bytes.count else {
                throw syntax.malformed("something follows the value")
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, isStrict: Bool) {
        (self.bytes, self.isStrict) = (bytes, isStrict)
    }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(_ name: String, index: Int? = nil) { (stringValue, intValue) = (name, index) }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { self.init("\(intValue)", index: intValue) }
    }

    private func refused(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    private mutating func checkValue() throws {
        switch try byte() {
        case UInt8(ascii: "\""): _ = try checkString()
        case UInt8(ascii: "{"): try checkObject()
        case UInt8(ascii: "["): try checkArray()
        case UInt8(ascii: "t"): try check("true")
        case UInt8(ascii: "f"): try check("false")
        case UInt8(ascii: "n"):
            try check("null")
            if isStrict { throw refused("null is not allowed; omit the key") }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try checkNumber()
        default: throw unexpected("a value")
        }
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    private func byte() throws -> UInt8 {
        guard offset < bytes.count else { throw FetchBenchError("it ends early") }
        return bytes[offset]
    }

    private func unexpected(_ wanted: String) -> FetchBenchError { malformed("\(wanted) was expected") }

    /// Returns an error at a byte, which counts from the first one of the document.
    private func malformed(_ reason: String, at offset: Int? = nil) -> FetchBenchError {
        FetchBenchError("\(reason) at byte \(offset ?? self.offset)")
    }
}

// MARK: - Objects and arrays

extension JSONSyntax {
    private mutating func checkObject() throws {
        var keys: Set<String> = []
        try checkItems(upTo: UInt8(ascii: "}")) { syntax, _ in
            guard try syntax.byte() == UInt8(ascii: "\"") else { throw syntax.unexpected("a key") }
            let name = try syntax.checkString()
            syntax.skipSpace()
            guard try syntax.byte() == UInt8(ascii: ":") else { throw syntax.unexpected("a colon") }
            syntax.offset += 1
            syntax.skipSpace()
            guard syntax.isStrict else { return try syntax.checkValue() }
            try syntax.inside(Key(String(decoding: name, as: UTF8.self))) { syntax in
                guard keys.insert(try syntax.key(name)).inserted else { throw syntax.refused("duplicate key") }
                try syntax.checkValue()
            }
        }
    }

    private mutating func checkArray() throws {
        try checkItems(upTo: UInt8(ascii: "]")) { syntax, index in
            guard syntax.isStrict else { return try syntax.checkValue() }
            try syntax.inside(Key("\(index)", index: index)) { try $0.checkValue() }
        }
    }

    private mutating func inside(_ key: Key, _ check: (inout JSONSyntax) throws -> Void) throws {
        path.append(key)
        try check(&self)
        path.removeLast()
    }

    /// The name that the text of a key stands for: `\u0061` is `a`.
    private func key(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws -> String {
        guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
        return try JSONDecoder().decode(String.self, from: Data("\"".utf8 + Array(text) + "\"".utf8))
    }

    /// Checks the items of a list, whose first byte is at the offset, up to its end.
    private mutating func checkItems(upTo end: UInt8, _ item: (inout JSONSyntax, _ index: Int) throws -> Void) throws {
        depth += 1
        guard depth <= Self.deepest else {
            throw malformed("it is nested more than \(Self.deepest) levels deep")
        }
        offset += 1
        skipSpace()
        var index = 0
        while try byte() != end || index > 0 {
            try item(&self, index)
            index += 1
            skipSpace()
            let mark = try byte()
            if mark == end { break }
            guard mark == UInt8(ascii: ",") else { throw unexpected("a comma") }
            offset += 1
            skipSpace()
        }
        offset += 1
        depth -= 1
    }
}

// MARK: - Strings, numbers and words

extension JSONSyntax {
    private mutating func checkString() throws -> Slice<UnsafeBufferPointer<UInt8>> {
        offset += 1
        let start = offset
        var isASCII = true
        while try byte() != UInt8(ascii: "\"") {
            guard bytes[offset] >= 0x20 else {
                throw malformed("a control character is in a string")
            }
            if bytes[offset] >= 0x80 { isASCII = false }
            if bytes[offset] == UInt8(ascii: "\\") { try checkEscape() }
            offset += 1
        }
        let text = bytes[start..<offset]
        guard isASCII || String(validating: text, as: UTF8.self) != nil else {
            throw malformed("a string is not valid UTF-8", at: start)
        }
        offset += 1
        return text
    }

    private mutating func checkEscape() throws {
        offset += 1
        guard try byte() != UInt8(ascii: "u") else {
            for _ in 0..<4 {
                offset += 1
                guard Character(Unicode.Scalar(try byte())).isHexDigit else { throw unexpected("a hexadecimal digit") }
            }
            return
        }
        guard Array("\"\\/bfnrt".utf8).contains(bytes[offset]) else { throw unexpected("an escape") }
    }

    private mutating func checkNumber() throws {
        let start = offset
        var hasExponent = false
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        if try byte() == UInt8(ascii: "0") { offset += 1 } else { try checkDigits() }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try checkDigits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            hasExponent = true
            if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(try byte()) { offset += 1 }
            try checkDigits()
        }
        // The largest `Double` has 309 digits. Foundation's error does not name the field of a larger number.
        guard isStrict, hasExponent || offset - start > 300 else { return }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard Double(text)?.isFinite == true else { throw refused("the number \(text.prefix(40)) is too large") }
    }

    private mutating func checkDigits() throws {
        let start = offset
        while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        guard offset > start else {
            _ = try byte()
            throw unexpected("a digit")
        }
    }

    private mutating func check(_ word: String) throws {
        for letter in word.utf8 {
            guard try byte() == letter else { throw unexpected(word) }
            offset += 1
        }
    }
}
