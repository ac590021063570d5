// SPDX-License-Identifier: Apache-2.0

/// The end of what a child wrote: the last bytes, and whether there were more.
package struct ChildText: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Whether earlier ones were thrown away.
    package var isCut: Bool

    package init(bytes: [UInt8] = [], isCut: Bool = false) {
        self.bytes = bytes
        self.isCut = isCut
    }

    /// The text, with bytes that are not UTF-8 repaired.
    ///
    /// Where the beginning was thrown away it begins with a whole line: half a secret is not found any more. A single
    /// line without end has no whole one; then the first quarter goes, which is longer than any secret.
    package var text: String {
        guard isCut else { return String(decoding: bytes, as: UTF8.self) }
        let newline = UInt8(ascii: "\n")
        let rest = bytes.firstIndex(of: newline).map { bytes[($0 + 1)...] } ?? []
        let whole = rest.contains { $0 != newline } ? rest : bytes[(bytes.count / 4)...]
        return String(decoding: whole, as: UTF8.self)
    }
}

/// A ring that keeps the last bytes of a stream in memory that is taken once.
struct TailBuffer {
    private let capacity: Int
    private var ring: [UInt8] = []
    private var total = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Reads what is there, once, straight to its place; how many bytes came, or minus the `errno`.
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
    /// What is kept, which is not kept any more.
    mutating func take() -> ChildText {
        defer { total = 0 }
        return text
    }
}
