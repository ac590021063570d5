// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
import Hashing
import ImageLoading
import Rendering
import Testing

/// Makes pictures and bytes that can be told apart.
enum TestImages {
    struct EncodingFailed: Error {}

    static func jpeg(_ colour: Pixel, _ size: PixelSize = PixelSize(width: 320, height: 240)) throws -> [UInt8] {
        let handle = try #require(tjInitCompress())
        defer { tjDestroy(handle) }
        let pixels = [Pixel](repeating: colour, count: size.pixelCount)
        var target: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        let status = pixels.withUnsafeBytes { bytes in
            tjCompress2(
                handle, bytes.bindMemory(to: UInt8.self).baseAddress, CInt(size.width), 0, CInt(size.height),
                CInt(TJPF_BGRA.rawValue), &target, &length, CInt(TJSAMP_444.rawValue), 95, 0)
        }
        defer { tjFree(target) }
        guard status == 0 else { throw EncodingFailed() }
        return Array(UnsafeBufferPointer(start: target, count: Int(length)))
    }

    static func sha256(_ bytes: [UInt8]) -> String { SHA256.hexadecimal(of: bytes) }

    static func colour(_ number: Int) -> Pixel {
        Pixel(UInt8(number * 10 % 250), UInt8(number * 70 % 250), UInt8(number * 130 % 250), 255)
    }

    /// A bitmap that nobody has painted.
    static func picture(
        _ url: String, side: Int, encoded: Int = 0, ledger: BitmapLedger = BitmapLedger()
    ) throws -> CachedImage {
        let bitmap = try Bitmap(PixelSize(width: side, height: side), ledger: ledger)
        return CachedImage(picture: LoadedPicture(url: url, bitmap: bitmap, encodedByteCount: encoded))
    }

    static func encoded(_ value: UInt8, count: Int, tag: String? = nil) -> CachedImage {
        CachedImage(
            encoded: EncodedImage(.memory([UInt8](repeating: value, count: count)), byteCount: count, entityTag: tag))
    }
}

extension EncodedImage {
    func copied() throws -> [UInt8] { try bytes.withBytes { Array($0) } }
}

extension LoadedPicture {
    var middle: Pixel { bitmap.withPixels { $0.row($0.height / 2)[$0.width / 2] } }

    /// Whether the picture is of a colour, as far as JPEG keeps it.
    func shows(_ colour: Pixel) -> Bool {
        let shown = middle
        return (0..<3).allSatisfy { abs(Int(shown[$0]) - Int(colour[$0])) <= 3 }
    }
}
