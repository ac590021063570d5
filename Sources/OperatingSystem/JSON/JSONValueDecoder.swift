// SPDX-License-Identifier: Apache-2.0

/// Decodes many JSON values of one kind, one after another, as `JSONDecoder` would.
///
/// That one builds a dictionary for each object, and takes more than twice as long for a trial of 5 KB. This one finds keys
/// in the text, and keeps what values have in common once. What `JSONDecoder` knows of some types of Foundation (data,
/// URLs, decimals), which no document here has, it does not know.
package final class JSONValueDecoder {
    private let repeated: RepeatedValues
    private let tape = JSONTape()

    /// Creates a decoder.
    /// - Parameter types: the types of which many equal values are expected: they are kept once.
    package init(repeating types: [any Decodable.Type] = []) {
        repeated = RepeatedValues(types)
    }

    /// Decodes bytes that are one value, with nothing but space around it.
    /// - Parameter isStrict: whether `null` and a key that is there twice are refused.
    /// - Throws: ``JSONFault`` where it is no JSON, `DecodingError` where it is no such value.
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
            if isStrict { try JSONStrictness(source).check() }
            return try JSONPart(source, 0).value(type)
        }
    }
}
