// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A JSON value that is being decoded: its bytes, its tape, and what is kept from value to value.
///
/// It lives as long as one call of ``JSONValueDecoder``: the bytes and the tape are the caller's, and no decoder outlives
/// the `init(from:)` that got it.
final class JSONSource {
    let bytes: UnsafeBufferPointer<UInt8>
    let parts: UnsafeBufferPointer<JSONTape.Part>
    let repeated: RepeatedValues

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ parts: UnsafeBufferPointer<JSONTape.Part>, repeated: RepeatedValues
    ) {
        self.bytes = bytes
        self.parts = parts
        self.repeated = repeated
    }

    func text(at index: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[parts[index].start..<parts[index].end])
    }

    func string(at index: Int) -> String? {
        repeated.string(text(at: index), isEscaped: parts[index].kind == .escapedString)
    }

    /// Whether a part, which is a key, is a name.
    func isKey(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let part = parts[index]
        if part.kind == .escapedString { return string(at: index) == String(decoding: name, as: UTF8.self) }
        guard name.count == part.end - part.start, let wanted = name.baseAddress, let key = bytes.baseAddress else {
            return name.isEmpty && part.start == part.end
        }
        return memcmp(key + part.start, wanted, name.count) == 0
    }

    /// Where a part stands: asked for where something is wrong alone, so nothing is noted on the way.
    func path(to index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var list = 0
        while list != index, parts[list].kind == .object || parts[list].kind == .array {
            let isObject = parts[list].kind == .object
            var item = list + 1
            var count = 0
            while true {
                let value = isObject ? item + 1 : item
                if index < parts[value].next {
                    path.append(isObject ? JSONKey(string(at: item) ?? "") : JSONKey(count))
                    list = value
                    break
                }
                item = parts[value].next
                count += 1
                guard item < parts[list].next else { return path }
            }
        }
        return path
    }
}

/// A key or an index on the way to a value.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// A key.
    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// An index, from 0.
    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
