// SPDX-License-Identifier: Apache-2.0

import CWebP

enum WebPEncoder {
    /// The version of the library, which determines the bytes.
    static var version: String {
        let version = WebPGetEncoderVersion()
        return "libwebp \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }

    /// Encodes pixels as a lossy WebP; throws ``AssetError/Code/image`` without a reason, because libwebp gives none.
    static func encode(_ pixels: PicturePixels, quality: Int) throws(AssetError) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let count = WebPEncodeRGB(
            pixels.bytes, CInt(pixels.width), CInt(pixels.height), CInt(pixels.width * 3), Float(quality), &output)
        defer { WebPFree(output) }
        guard count > 0, let output else {
            throw AssetError(.image, "cannot encode a picture of \(pixels.width)×\(pixels.height) as WebP")
        }
        return Array(UnsafeBufferPointer(start: output, count: count))
    }
}
