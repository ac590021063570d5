// SPDX-License-Identifier: Apache-2.0

/// Values that many documents of one kind repeat, kept once.
///
/// Ten thousand trials share sixty cases and two allocators, of some kilobytes each.
final class RepeatedValues {
    /// The maximum number of values: more are not repetitions.
    private static let most = 4096
    /// The maximum length of a value in bytes: longer ones rarely repeat.
    private static let longest = 4096
    /// The number of bytes that a string stores without an allocation.
    private static let inlineLength = 15

    private struct Source: Hashable {
        let type: ObjectIdentifier
        let bytes: [UInt8]
    }

    private let types: [ObjectIdentifier]
    private var values: [Source: Any] = [:]
    private var strings: [[UInt8]: String] = [:]

    /// Keeps values of the given types, of which equal text must mean equal values.
    init(_ types: [any Decodable.Type]) {
        self.types = types.map { ObjectIdentifier($0) }
    }

    /// Returns the value decoded from the same bytes before, or decodes it.
    func value<Value>(
        _ type: Value.Type, of bytes: UnsafeBufferPointer<UInt8>, decode: () throws -> Value
    ) rethrows -> Value {
        guard types.contains(ObjectIdentifier(type)), bytes.count <= Self.longest else { return try decode() }
        let source = Source(type: ObjectIdentifier(type), bytes: Array(bytes))
        if let known = values[source] as? Value { return known }
        let value = try decode()
        if values.count < Self.most { values[source] = value }
        return value
    }

    func string(_ bytes: UnsafeBufferPointer<UInt8>, isEscaped: Bool) -> String? {
        guard !isEscaped, bytes.count > Self.inlineLength, bytes.count <= Self.longest else {
            return JSONStringText.text(of: bytes, isEscaped: isEscaped)
        }
        let source = Array(bytes)
        if let known = strings[source] { return known }
        let text = JSONStringText.text(of: bytes, isEscaped: false)
        if strings.count < Self.most { strings[source] = text }
        return text
    }
}
