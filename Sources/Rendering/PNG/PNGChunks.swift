// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A filter that drops a PNG's profiles, texts and thumbnails, which libpng would collect before examining them.
struct PNGChunks {
    /// A chunk that is needed although its name marks it as ancillary: the transparent color.
    private static let transparency = Array("tRNS".utf8)
    private static let exifName = Array("eXIf".utf8)
    private static let pixels = Array("IDAT".utf8)

    /// The length of a chunk's check sum.
    private static let tailLength = 4

    private var reader = ChunkReader(behind: PNGHeader.signature.count) { head in
        head[..<4].reduce(0) { $0 << 8 | Int($1) } + tailLength
    }
    private var isKept = true
    private var isEXIF = false
    /// The beginning of the EXIF data so far.
    private var exif: [UInt8] = []
    /// True from the first chunk of pixels on.
    private var hasPixels = false

    /// Passes on the next bytes, except those of chunks that are not needed.
    ///
    /// From the first chunk of pixels on, `take` gets the beginning of the EXIF data that came before; `nil` until then.
    mutating func pass<E: Error>(
        _ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer, _ exif: [UInt8]?) throws(E) -> Void
    ) throws(E) {
        var rest = bytes
        while let part = reader.next(of: &rest) {
            switch part {
            case .head(let head):
                // The case of the first letter tells whether a chunk is needed.
                isKept = head[4] & 0x20 == 0 || head[4...].elementsEqual(Self.transparency)
                isEXIF = exif.isEmpty && head[4...].elementsEqual(Self.exifName)
                hasPixels = hasPixels || head[4...].elementsEqual(Self.pixels)
                if isKept { try head.lend { head throws(E) in try take(head, hasPixels ? exif : nil) } }
            case .content(let bytes):
                if isKept { try take(bytes, hasPixels ? exif : nil) }
                if isEXIF { exif += bytes.prefix(Orientation.searchedByteCount - exif.count) }
            }
        }
    }
}
