// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Leaves out of a PNG on its way what its pixels do not need: profiles, texts and thumbnails of any length, which
/// libpng would collect before it looks at them.
struct PNGChunks {
    /// What is needed although its name says that it may be left out: which color is transparent.
    private static let transparency = Array("tRNS".utf8)

    /// The check sum.
    private static let tailLength = 4

    private var reader = ChunkReader(behind: PNGHeader.signature.count) { head in
        head[..<4].reduce(0) { $0 << 8 | Int($1) } + tailLength
    }
    private var isKept = true

    /// Hands the next bytes on, but for those of chunks that are not needed.
    mutating func pass<E: Error>(
        _ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        var rest = bytes
        while let part = reader.next(of: &rest) {
            switch part {
            case .head(let head):
                // The case of the first letter says whether a chunk is needed.
                isKept = head[4] & 0x20 == 0 || head[4...].elementsEqual(Self.transparency)
                if isKept { try head.lend(to: take) }
            case .content(let bytes):
                if isKept { try take(bytes) }
            }
        }
    }
}
