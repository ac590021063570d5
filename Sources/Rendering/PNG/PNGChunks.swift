// SPDX-License-Identifier: Apache-2.0

/// Leaves out of a PNG on its way what its pixels do not need: profiles, texts and thumbnails of any length, which
/// libpng would collect before it looks at them.
struct PNGChunks {
    /// What is needed although its name says that it may be left out: which color is transparent.
    private static let transparency = Array("tRNS".utf8)

    private static let headLength = 8
    /// The check sum.
    private static let tailLength = 4

    private var head: [UInt8] = []
    /// How many bytes of the signature or of the present chunk are still to come.
    private var remaining = PNGHeader.signature.count
    private var isKept = true

    /// Hands the next bytes on, but for those of chunks that are not needed.
    mutating func pass<E: Error>(
        _ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if remaining == 0 {
                let part = rest.prefix(Self.headLength - head.count)
                head += part
                rest = rest.dropFirst(part.count)
                guard head.count == Self.headLength else { return }
                remaining = head[..<4].reduce(0) { $0 << 8 | Int($1) } + Self.tailLength
                // The case of the first letter says whether a chunk is needed.
                isKept = head[4] & 0x20 == 0 || head[4...].elementsEqual(Self.transparency)
                if isKept { try Self.lend(head, to: take) }
                head.removeAll(keepingCapacity: true)
            } else {
                let part = rest.prefix(remaining)
                remaining -= part.count
                rest = rest.dropFirst(part.count)
                if isKept { try take(UnsafeRawBufferPointer(rebasing: part)) }
            }
        }
    }

    private static func lend<E: Error>(
        _ head: [UInt8], to take: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
        let result = head.withUnsafeBytes { bytes in Result { () throws(E) in try take(bytes) } }
        try result.get()
    }
}
