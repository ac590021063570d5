// SPDX-License-Identifier: Apache-2.0

/// Follows the chunks of a picture on its way: each has a head of eight bytes, which says how many follow.
struct ChunkReader {
    enum Part {
        /// A whole head.
        case head([UInt8])
        /// Bytes of what is behind it, as many as are there.
        case content(UnsafeRawBufferPointer)
    }

    private static let headLength = 8

    private var head = HeadCollector(byteCount: headLength)
    private var remaining: Int
    private let length: @Sendable (_ head: [UInt8]) -> Int

    /// Begins with bytes that lie before the first chunk, and are its predecessor's content.
    /// - Parameter length: how many bytes belong to a chunk behind its head.
    init(behind count: Int, length: @escaping @Sendable (_ head: [UInt8]) -> Int) {
        remaining = count
        self.length = length
    }

    /// Takes the next part off the front of bytes; `nil` once none is left.
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
