// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON value onto a tape and validates every byte by RFC 8259.
struct JSONScanner {
    /// Foundation's nesting limit: deeper values could overflow a stack.
    private static let deepest = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset: Int
    private let tape: JSONTape
    /// The tape's parts, moved out of it during the scan.
    private var parts: [JSONTape.Part] = []
    private var depth = 0

    /// Starts at the first byte; the bytes must outlive the scanner, and the tape is overwritten.
    init(_ bytes: UnsafeBufferPointer<UInt8>, onto tape: JSONTape) {
        self.bytes = bytes
        offset = 0
        self.tape = tape
    }

    /// Reads the value at the offset and moves the offset behind it.
    mutating func scan() throws(JSONFault) {
        swap(&parts, &tape.parts)
        parts.removeAll(keepingCapacity: true)
        defer { swap(&parts, &tape.parts) }
        try scanValue()
    }

    private mutating func scanValue() throws(JSONFault) {
        switch try byte() {
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "{"): try scanObject()
        case UInt8(ascii: "["): try scanArray()
        case UInt8(ascii: "t"): try scan("true", .yes)
        case UInt8(ascii: "f"): try scan("false", .no)
        case UInt8(ascii: "n"): try scan("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanNumber()
        default: throw unexpected("a value")
        }
    }

    mutating func skipSpace() {
        while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    private func byte() throws(JSONFault) -> UInt8 {
        guard offset < bytes.count else { throw .cutOff }
        return bytes[offset]
    }

    private func unexpected(_ wanted: String) -> JSONFault {
        .malformed(offset: offset, reason: "\(wanted) was expected")
    }
}

// MARK: - Objects and arrays

extension JSONScanner {
    private mutating func scanObject() throws(JSONFault) {
        try scanList(.object, end: UInt8(ascii: "}")) { scanner throws(JSONFault) in
            guard try scanner.byte() == UInt8(ascii: "\"") else { throw scanner.unexpected("a key") }
            try scanner.scanString()
            scanner.skipSpace()
            guard try scanner.byte() == UInt8(ascii: ":") else { throw scanner.unexpected("a colon") }
            scanner.offset += 1
            scanner.skipSpace()
            try scanner.scanValue()
        }
    }

    private mutating func scanArray() throws(JSONFault) {
        try scanList(.array, end: UInt8(ascii: "]")) { scanner throws(JSONFault) in try scanner.scanValue() }
    }

    private mutating func scanList(
        _ kind: JSONTape.Kind, end: UInt8, item: (inout JSONScanner) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        depth += 1
        guard depth <= Self.deepest else {
            throw .malformed(offset: offset, reason: "it is nested more than \(Self.deepest) levels deep")
        }
        let list = parts.count
        parts.append(JSONTape.Part(kind: kind, start: offset, end: offset, next: 0))
        offset += 1
        skipSpace()
        if try byte() != end {
            while true {
                try item(&self)
                skipSpace()
                let mark = try byte()
                if mark == end { break }
                guard mark == UInt8(ascii: ",") else { throw unexpected("a comma") }
                offset += 1
                skipSpace()
            }
        }
        offset += 1
        parts[list].end = offset
        parts[list].next = parts.count
        depth -= 1
    }
}

// MARK: - Strings, numbers and words

extension JSONScanner {
    private mutating func scanString() throws(JSONFault) {
        offset += 1
        let start = offset
        var isEscaped = false
        var isASCII = true
        while true {
            let next = try byte()
            if next == UInt8(ascii: "\"") { break }
            guard next >= 0x20 else { throw .malformed(offset: offset, reason: "a control character is in a string") }
            if next >= 0x80 { isASCII = false }
            if next == UInt8(ascii: "\\") {
                isEscaped = true
                offset += 1
                _ = try byte()
            }
            offset += 1
        }
        if isEscaped || !isASCII {
            let text = UnsafeBufferPointer(rebasing: bytes[start..<offset])
            guard JSONStringText.text(of: text, isEscaped: isEscaped) != nil else {
                throw .malformed(offset: start, reason: "a string is not valid UTF-8")
            }
        }
        append(isEscaped ? .escapedString : .string, from: start, to: offset)
        offset += 1
    }

    private mutating func scanNumber() throws(JSONFault) {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        if try byte() == UInt8(ascii: "0") { offset += 1 } else { try scanDigits() }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try scanDigits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            let sign = try byte()
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
            try scanDigits()
        }
        append(.number, from: start, to: offset)
    }

    private mutating func scanDigits() throws(JSONFault) {
        let start = offset
        while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        guard offset > start else {
            _ = try byte()
            throw unexpected("a digit")
        }
    }

    private mutating func scan(_ word: StaticString, _ kind: JSONTape.Kind) throws(JSONFault) {
        let start = offset
        for index in 0..<word.utf8CodeUnitCount {
            guard try byte() == word.utf8Start[index] else { throw unexpected("\(word)") }
            offset += 1
        }
        append(kind, from: start, to: offset)
    }

    private mutating func append(_ kind: JSONTape.Kind, from start: Int, to end: Int) {
        parts.append(JSONTape.Part(kind: kind, start: start, end: end, next: parts.count + 1))
    }
}
