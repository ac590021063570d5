// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import CZlib

enum PNGEncoder {
    /// The versions of the libraries, which determine the bytes but not the pixels.
    static var version: String {
        "libpng \(String(cString: cimage_png_version())), zlib \(String(cString: zlibVersion()))"
    }

    /// Encodes a picture with eight bits per channel; throws ``AssetError/Code/image``.
    static func encode(_ pixels: PicturePixels) throws(AssetError) -> [UInt8] {
        var reason = [CChar](repeating: 0, count: Int(CIMAGE_PNG_REASON_SIZE))
        let capacity = cimage_png_capacity(UInt32(pixels.width), UInt32(pixels.height))
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = cimage_png_encode(
                pixels.bytes, UInt32(pixels.width), UInt32(pixels.height), buffer.baseAddress, capacity, &reason)
        }
        guard !bytes.isEmpty else {
            let words = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw AssetError(
                .image,
                "cannot encode a picture of \(pixels.width)×\(pixels.height): \(String(decoding: words, as: UTF8.self))"
            )
        }
        return bytes
    }
}
