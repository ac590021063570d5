// SPDX-License-Identifier: Apache-2.0

/// An unkeyed container over a JSON array.
struct JSONArray: UnkeyedDecodingContainer {
    private let array: JSONPart
    private var next: Int
    private(set) var currentIndex = 0

    init(_ array: JSONPart) {
        self.array = array
        next = array.index + 1
    }

    private var end: Int { array.source.parts[array.index].next }

    var codingPath: [any CodingKey] { array.codingPath }
    var isAtEnd: Bool { next >= end }

    var count: Int? {
        var count = 0
        var index = array.index + 1
        while index < end {
            index = array.source.parts[index].next
            count += 1
        }
        return count
    }

    /// Reads the next item, and advances only if that succeeds.
    private mutating func item<Value>(_ type: Any.Type, _ read: (JSONPart) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(type, array.context("there are \(currentIndex) items and no more"))
        }
        let value = try read(JSONPart(array.source, next))
        next = array.source.parts[next].next
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, JSONPart(array.source, next).decodeNil() else { return false }
        return try item(Any?.self) { _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try item(type) { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try item(type) { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try item(type) { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try item(type) { Float(try $0.double()) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try item(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try item(type) { try $0.integer(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try item(type) { try $0.value(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try item(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try item([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try item(Any.self) { $0 } }
}
