// SPDX-License-Identifier: Apache-2.0

/// A writer of Protocol Buffers (https://protobuf.dev/programming-guides/encoding): varints, and fields with a length.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    private enum WireType: UInt64 {
        case varint = 0
        case length = 2
    }

    /// Writes an integer unless it is zero; booleans are 0 or 1, and negative integers take 10 bytes.
    mutating func integer(_ field: UInt64, _ value: Int) {
        guard value != 0 else { return }
        tag(field, .varint)
        varint(UInt64(bitPattern: Int64(value)))
    }

    /// Writes a list of integers, packed.
    mutating func integers(_ field: UInt64, _ values: [Int]) {
        guard !values.isEmpty else { return }
        var packed = ProtobufWriter()
        for value in values { packed.varint(UInt64(bitPattern: Int64(value))) }
        bytes(field, packed.bytes)
    }

    /// Writes a string, even if it is empty: tables of strings begin with the empty one.
    mutating func string(_ field: UInt64, _ value: String) {
        bytes(field, Array(value.utf8))
    }

    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        bytes(field, inner.bytes)
    }

    private mutating func bytes(_ field: UInt64, _ content: [UInt8]) {
        tag(field, .length)
        varint(UInt64(content.count))
        bytes += content
    }

    private mutating func tag(_ field: UInt64, _ type: WireType) {
        varint(field << 3 | type.rawValue)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
