// SPDX-License-Identifier: Apache-2.0

import Rendering
import TrialKit

/// The memory that decoding a picture requires, calculated by the decoders' rules.
enum DecodeCost {
    /// Returns the bytes of the decoder's output and of a progressive JPEG's coefficients, or 0 for invalid pictures.
    ///
    /// The output may be larger than the kept picture; the coefficients precede its first pixel.
    static func byteCount(_ encoded: EncodedBytes, fitting view: PixelSize?, limits: RenderSettings) -> Int {
        let count = try? encoded.withBytes { bytes throws(RenderFailure) in
            let size = try Picture.size(of: bytes, limits: limits)
            let isTurned = Orientation.of(bytes).isTurned
            let fitted = view.map { size.fitted(into: isTurned ? $0.turned : $0) } ?? size
            guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return 4 * fitted.pixelCount }
            let coefficients = isProgressive(bytes) ? 3 * size.pixelCount : 0
            return 4 * size.smallestScaled(covering: fitted).pixelCount + coefficients
        }
        return count ?? 0
    }

    private static func isProgressive(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
