// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// The first bytes of a WebP: the head of the container and the beginning of its first chunk.
struct WebPHeader: Hashable {
    static let byteCount = 30

    let size: PixelSize
    let isAnimated: Bool
    /// True if EXIF data follows the picture, so that nobody knows before its end how it has to be turned.
    let hasEXIF: Bool

    init(parsing bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard bytes.count >= Self.byteCount else {
            throw RenderFailure(.truncatedImage, "the WebP ends within its header")
        }
        func number(_ range: Range<Int>) -> Int { bytes[range].reversed().reduce(0) { $0 << 8 | Int($1) } }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 " where bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]):
            // The highest two bits of both sides are a display scale, which no decoder applies.
            size = PixelSize(width: number(26..<28) & 0x3FFF, height: number(28..<30) & 0x3FFF)
            (isAnimated, hasEXIF) = (false, false)
        case "VP8L" where bytes[20] == 0x2F:
            let sides = number(21..<25)
            size = PixelSize(width: sides & 0x3FFF + 1, height: sides >> 14 & 0x3FFF + 1)
            (isAnimated, hasEXIF) = (false, false)
        case "VP8X":
            size = PixelSize(width: number(24..<27) + 1, height: number(27..<30) + 1)
            (isAnimated, hasEXIF) = (bytes[20] & 0x02 != 0, bytes[20] & 0x08 != 0)
        default:
            throw RenderFailure(.notAnImage, "a WebP that does not begin with its header")
        }
        guard size.width > 0, size.height > 0 else { throw RenderFailure(.notAnImage, "a WebP of \(size) pixels") }
    }
}
