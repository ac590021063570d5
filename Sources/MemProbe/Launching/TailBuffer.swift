// SPDX-License-Identifier: Apache-2.0

/// The end of what a child wrote: the last bytes, and whether there were more.
package struct ChildText: Hashable, Sendable {
    package var bytes: [UInt8]
    /// True if earlier bytes were dropped.
    package var isCut: Bool

    package init(bytes: [UInt8] = [], isCut: Bool = false) {
        self.bytes = bytes
        self.isCut = isCut
    }

    /// The text, with invalid UTF-8 repaired.
    ///
    /// If earlier bytes were dropped, it begins with a whole line, because redaction would not find half a secret.
    /// Without a whole line the first quarter is dropped, which is longer than any secret.
    package var text: String {
        guard isCut else { return String(decoding: bytes, as: UTF8.self) }
        let newline = UInt8(ascii: "\n")
        let rest = bytes.firstIndex(of: newline).map { bytes[($0 + 1)...] } ?? []
        let whole = rest.contains { $0 != newline } ? rest : bytes[(bytes.count / 4)...]
        return String(decoding: whole, as: UTF8.self)
    }
}

/// A ring buffer for the last bytes of a stream.
struct TailBuffer {
    private let capacity: Int
    private var ring: [UInt8] = []
    private var total = 0

    init(capacity: Int) { self.capacity = capacity }

    /// Reads once, straight into the ring; returns the number of bytes or minus the `errno`.
    mutating func fill(from descriptor: Int32) -> Int {
        if ring.isEmpty { ring = [UInt8](repeating: 0, count: capacity) }
        let place = total % capacity
        let count = ring.withUnsafeMutableBytes { buffer in
            ChildPipe.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[place...]))
        }
        if count > 0 { total += count }
        return count
    }

    var text: ChildText {
        guard total > capacity else { return ChildText(bytes: Array(ring.prefix(total))) }
        let place = total % capacity
        return ChildText(bytes: Array(ring[place...] + ring[..<place]), isCut: true)
    }
    /// Returns and clears what is kept.
    mutating func take() -> ChildText {
        defer { total = 0 }
        return text
    }
}
