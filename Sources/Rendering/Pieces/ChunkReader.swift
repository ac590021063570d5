// SPDX-License-Identifier: Apache-2.0

/// A parser of the chunks of an arriving picture, each with a head of eight bytes that contains the length.
struct ChunkReader {
    enum Part {
        case head([UInt8])
        /// Bytes of a chunk's content, as many as are available.
        case content(UnsafeRawBufferPointer)
    }

    private static let headLength = 8

    private var head = HeadCollector(byteCount: headLength)
    private var remaining: Int
    private let length: @Sendable (_ head: [UInt8]) -> Int

    /// Starts with `count` bytes before the first chunk; `length` gives the bytes of a chunk after its head.
    init(behind count: Int, length: @escaping @Sendable (_ head: [UInt8]) -> Int) {
        remaining = count
        self.length = length
    }

    /// Returns the next part of the bytes and removes it from them, or returns `nil` if none is left.
    mutating func next(of bytes: inout UnsafeRawBufferPointer) -> Part? {
        guard !bytes.isEmpty else { return nil }
        if remaining > 0 {
            let part = bytes.prefix(remaining)
            remaining -= part.count
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(part.count))
            return .content(UnsafeRawBufferPointer(rebasing: part))
        }
        let (whole, rest) = head.take(bytes)
        bytes = rest
        guard let whole else { return nil }
        head = HeadCollector(byteCount: Self.headLength)
        remaining = length(whole)
        return .head(whole)
    }
}
