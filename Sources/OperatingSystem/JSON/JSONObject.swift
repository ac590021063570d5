// SPDX-License-Identifier: Apache-2.0

/// A keyed container over a JSON object.
///
/// A class, because it remembers the key found last: the next request is usually for the same key or the following one.
final class JSONObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSONPart
    private let first: Int
    private let end: Int
    /// The key at which the next search begins.
    private var hint: Int

    init(_ object: JSONPart) {
        self.object = object
        first = object.index + 1
        end = object.source.parts[object.index].next
        hint = first
    }

    private var source: JSONSource { object.source }

    var codingPath: [any CodingKey] { object.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var index = first
        while index < end {
            if let key = source.string(at: index).flatMap({ Key(stringValue: $0) }) { keys.append(key) }
            index = source.parts[index + 1].next
        }
        return keys
    }

    private func part(of name: String) -> JSONPart? {
        var name = name
        let last = hint
        let found = name.withUTF8 { name in
            find(name, from: last, to: end) ?? find(name, from: first, to: last)
        }
        guard let found else { return nil }
        hint = found
        return JSONPart(source, found + 1)
    }

    private func find(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
        let source = source
        var index = start
        while index < end {
            if source.isKey(index, name) { return index }
            index = source.parts[index + 1].next
        }
        return nil
    }

    private func value(_ key: Key) throws -> JSONPart {
        guard let part = part(of: key.stringValue) else {
            throw DecodingError.keyNotFound(key, object.context("\(key.stringValue) is missing"))
        }
        return part
    }

    func contains(_ key: Key) -> Bool { part(of: key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try value(key).double()) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).integer(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { part(of: "super") ?? object }
    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}
