// SPDX-License-Identifier: Apache-2.0

/// Decodes many JSON values of one kind as `JSONDecoder` would.
///
/// `JSONDecoder` builds a dictionary for each object and takes more than twice as long for a trial of 5 KB. This one
/// finds keys in the text and shares repeated values. It does not support the Foundation types that `JSONDecoder`
/// treats specially (data, URLs, decimals), which no document here has.
package final class JSONValueDecoder {
    private let repeated: RepeatedValues
    private let tape = JSONTape()

    /// Creates a decoder that shares equal values of the given types.
    package init(repeating types: [any Decodable.Type] = []) {
        repeated = RepeatedValues(types)
    }

    /// Decodes one value with optional space around it; strictly, without `null` and duplicate keys.
    /// - Throws: ``JSONFault`` for invalid JSON, `DecodingError` for a value that is not of the type.
    package func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: UnsafeBufferPointer<UInt8>, strictly isStrict: Bool = false
    ) throws -> Value {
        var scanner = JSONScanner(bytes, onto: tape)
        scanner.skipSpace()
        try scanner.scan()
        scanner.skipSpace()
        guard scanner.offset == bytes.count else {
            throw JSONFault.malformed(offset: scanner.offset, reason: "something follows the value")
        }
        return try tape.parts.withUnsafeBufferPointer { parts in
            let source = JSONSource(bytes, parts, repeated: repeated)
            if isStrict { try JSONStrictness(source: source).check() }
            return try JSONPart(source, 0).value(type)
        }
    }
}
