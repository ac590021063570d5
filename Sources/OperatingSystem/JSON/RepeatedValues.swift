// SPDX-License-Identifier: Apache-2.0

/// What many documents of one kind say again and again: kept once, however often it is read.
///
/// Ten thousand trials have sixty cases and two allocators, and each of those some kilobytes.
final class RepeatedValues {
    /// More than this many are no repetition.
    private static let most = 4096
    /// What is longer is not kept for its own sake: it would not be said twice.
    private static let longest = 4096
    /// A string of so many bytes lies in the value itself.
    private static let inlineLength = 15

    private struct Source: Hashable {
        let type: ObjectIdentifier
        let bytes: [UInt8]
    }

    private let types: [ObjectIdentifier]
    private var values: [Source: Any] = [:]
    private var strings: [[UInt8]: String] = [:]

    /// - Parameter types: the types whose values repeat; what equal text means to them has to be equal.
    init(_ types: [any Decodable.Type]) {
        self.types = types.map { ObjectIdentifier($0) }
    }

    /// A value that was decoded from the same bytes, or is now.
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
