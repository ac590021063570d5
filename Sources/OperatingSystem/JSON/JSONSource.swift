// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A JSON value being decoded: its bytes, its tape, and the values kept for the following ones.
///
/// It lives for one call of ``JSONValueDecoder``: the caller owns bytes and tape, and no decoder outlives its
/// `init(from:)`.
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

    /// True if the key at an index equals a name.
    func isKey(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let part = parts[index]
        if part.kind == .escapedString { return string(at: index) == String(decoding: name, as: UTF8.self) }
        guard name.count == part.end - part.start, let wanted = name.baseAddress, let key = bytes.baseAddress else {
            return name.isEmpty && part.start == part.end
        }
        return memcmp(key + part.start, wanted, name.count) == 0
    }

    /// Returns the coding path of a part, computed on demand because only errors need it.
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

/// An element of a coding path.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
