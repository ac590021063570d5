// SPDX-License-Identifier: Apache-2.0

import Rendering

/// What decoding a picture holds beside the bitmap that comes of it, by the laws of the decoders.
enum DecodeCost {
    /// The bytes of the step that the decoder scales to, and of the coefficients of a progressive JPEG, which are all
    /// there before the first pixel.
    static func byteCount(_ bytes: UnsafeRawBufferPointer, of size: PixelSize, fitting view: PixelSize?) -> Int {
        let fitted = view.map { size.fitted(into: $0) } ?? size
        let step = size.smallestScaled(covering: fitted)
        let scaled = 4 * step.pixelCount
        return scaled + (isProgressive(bytes) ? 3 * size.pixelCount : 0)
    }

    /// Whether the frame of a JPEG is a progressive one.
    static func isProgressive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            if marker == 0xC2 { return true }
            if marker == 0xC0 || marker == 0xC1 || marker == 0xDA { return false }
            place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
        }
        return false
    }
}
