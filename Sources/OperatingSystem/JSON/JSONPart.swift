// SPDX-License-Identifier: Apache-2.0

/// A decoder of one part of a JSON value.
struct JSONPart {
    let source: JSONSource
    let index: Int

    init(_ source: JSONSource, _ index: Int) {
        self.source = source
        self.index = index
    }

    private var kind: JSONTape.Kind { source.parts[index].kind }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try source.repeated.value(type, of: source.text(at: index)) { try Value(from: self) }
    }

    func string() throws -> String {
        guard kind == .string || kind == .escapedString, let text = source.string(at: index) else {
            throw mismatch(String.self)
        }
        return text
    }

    func bool() throws -> Bool {
        switch kind {
        case .yes: true
        case .no: false
        default: throw mismatch(Bool.self)
        }
    }

    func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard kind == .number else { throw mismatch(type) }
        guard let number = JSONNumberText.integer(source.text(at: index), as: type) else { throw unfitting(type) }
        return number
    }

    func double() throws -> Double {
        guard kind == .number else { throw mismatch(Double.self) }
        guard let number = JSONNumberText.double(source.text(at: index)) else { throw unfitting(Double.self) }
        return number
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        guard kind != .null else { return .valueNotFound(type, context("a value was expected, and it is null")) }
        return .typeMismatch(type, context("\(type) was expected, and it is \(found)"))
    }

    private func unfitting(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(
            context("the number \(String(decoding: source.text(at: index), as: UTF8.self)) is not a \(type)"))
    }

    func context(_ text: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: text)
    }

    private var found: String {
        switch kind {
        case .object: "an object"
        case .array: "an array"
        case .string, .escapedString: "a string"
        case .number: "a number"
        case .yes, .no: "a truth value"
        case .null: "null"
        }
    }
}

extension JSONPart: Decoder {
    var codingPath: [any CodingKey] { source.path(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .object else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(JSONObject<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw mismatch([Any].self) }
        return JSONArray(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

// A method for each integer type: a generic one would not be specialised, and decode integers 40 % slower.
extension JSONPart: SingleValueDecodingContainer {
    func decodeNil() -> Bool { kind == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try bool() }
    func decode(_ type: String.Type) throws -> String { try string() }
    func decode(_ type: Double.Type) throws -> Double { try double() }
    func decode(_ type: Float.Type) throws -> Float { Float(try double()) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
