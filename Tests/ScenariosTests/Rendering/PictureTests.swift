// SPDX-License-Identifier: Apache-2.0

import Rendering
import TestSupport
import Testing
import TrialKit

/// Every format, decoded at once, against what another program decodes.
@Suite(.ownThreads) struct PictureTests {
    private static let size = PixelSize(width: 61, height: 47)
    private let ledger = BitmapLedger()

    private func decode(
        _ bytes: [UInt8], fitting view: PixelSize? = nil, limits: RenderSettings = RenderSettings()
    ) throws(RenderFailure) -> Bitmap {
        try Picture.decode(.of(bytes), fitting: view, limits: limits, ledger: ledger)
    }

    private func failure(_ bytes: [UInt8], limits: RenderSettings = RenderSettings()) throws -> RenderFailure {
        let failure = #expect(throws: RenderFailure.self) { _ = try decode(bytes, limits: limits) }
        #expect(ledger.liveByteCount == 0, "a failure leaves no bitmap behind")
        return try #require(failure)
    }

    @Test(arguments: [
        ("png", 0), ("png-alpha", 0), ("png-gray", 0), ("png-gray-alpha", 0), ("png-palette", 0), ("png-bilevel", 0),
        ("png-interlaced", 0), ("png-interlaced-alpha", 0), ("jpeg", 0), ("jpeg-444", 0), ("jpeg-progressive", 0),
        ("jpeg-gray", 0), ("webp", 0), ("webp-lossless", 0),
        // libwebp multiplies by alpha in its own way of rounding.
        ("webp-alpha", 1),
    ])
    func allPixelsAreThoseOfPillow(kind: String, tolerance: Int) throws {
        let bytes = try Pillow.make(kind, Self.size)
        let bitmap = try decode(bytes)
        #expect(bitmap.size == Self.size)
        #expect(difference(bitmap.pixels, try Pillow.pixels(of: bytes)) <= tolerance)
    }

    @Test(arguments: ["png", "png-alpha", "png-interlaced", "webp", "webp-alpha", "webp-lossless", "jpeg"])
    func fittedPixelsAreAveragesOfAll(kind: String) throws {
        let bytes = try Pillow.make(kind, PixelSize(width: 240, height: 160))
        let view = PixelSize(width: 60, height: 60)
        let fitted = PixelSize(width: 60, height: 40)
        let all = try Pillow.pixels(of: bytes)
        let found = try decode(bytes, fitting: view)
        #expect(found.size == fitted)
        let wanted = (0..<fitted.pixelCount).map { index -> Pixel in
            let (x, y) = (index % fitted.width * 4, index / fitted.width * 4)
            var sum = SIMD4<Int>(repeating: 8)
            for row in y..<y + 4 {
                for column in x..<x + 4 { sum &+= SIMD4(truncatingIfNeeded: all[row * 240 + column]) }
            }
            return Pixel(truncatingIfNeeded: sum / 16)
        }
        // A PNG is averaged exactly; the others are scaled by their decoders, before colors are made of samples.
        #expect(difference(found.pixels, wanted) <= (kind.hasPrefix("png") ? 0 : 12))
    }

    @Test(arguments: ["jpeg", "png", "png-interlaced", "webp", "webp-alpha", "webp-lossless"])
    func theSizeIsReadFromTheHeaderAlone(kind: String) throws {
        let bytes = try Pillow.make(kind, Self.size)
        let size = try EncodedBytes.of(bytes).withBytes { bytes throws(RenderFailure) in
            try Picture.size(of: bytes, limits: RenderSettings())
        }
        #expect(size == Self.size)
    }

    @Test(arguments: [
        ("gif", "a GIF"), ("tiff", "a TIFF"), ("bmp", "a BMP"), ("icon", "an icon"), ("jpeg-2000", "a JPEG 2000"),
        ("jpeg-cmyk", "a CMYK JPEG"), ("webp-animated", "an animated WebP"),
    ])
    func whatNobodyDecodesIsNamed(kind: String, name: String) throws {
        let failure = try failure(try Pillow.make(kind, Self.size))
        #expect(failure == RenderFailure(.unsupportedImage, "\(name), which no render model decodes"))
    }

    @Test(arguments: [("heic", "an HEIF"), ("mif1", "an HEIF"), ("avif", "an AVIF")])
    func containersAreNamedByTheirBrand(brand: String, name: String) throws {
        let bytes: [UInt8] = [0, 0, 0, 24] + Array("ftyp\(brand)".utf8) + [UInt8](repeating: 0, count: 64)
        #expect(try failure(bytes).detail.hasPrefix(name))
    }

    @Test(arguments: [[], Array("<html>".utf8), Array("RIFF....WAVEfmt and more of it".utf8), [0x89, 0x50]])
    func otherBytesAreNoImage(bytes: [UInt8]) throws {
        #expect(try failure(bytes).code == .notAnImage)
    }

    @Test(arguments: ["png", "png-interlaced", "webp", "webp-alpha", "webp-lossless"], [0.01, 0.3, 0.9, 0.999])
    func aCutPictureIsTruncated(kind: String, share: Double) throws {
        let whole = try Pillow.make(kind, PixelSize(width: 160, height: 120))
        #expect(try failure(Array(whole.prefix(max(16, Int(Double(whole.count) * share))))).code == .truncatedImage)
    }

    @Test(arguments: ["png", "png-interlaced"])
    func aDamagedPNGIsNoImage(kind: String) throws {
        var bytes = try Pillow.make(kind, Self.size)
        bytes[bytes.count - 40] ^= 0x55
        let failure = try failure(bytes)
        #expect(failure.code == .notAnImage)
        #expect(failure.detail.contains("damaged PNG"))
    }

    @Test func limitsAreCheckedBeforeAnythingIsDecoded() throws {
        for kind in ["png", "webp", "webp-lossless"] {
            let bytes = try Pillow.make(kind, Self.size)
            let exact = RenderSettings(maximumPixels: 61 * 47, maximumEncodedBytes: bytes.count)
            #expect(try decode(bytes, limits: exact).size == Self.size)
            #expect(
                try failure(bytes, limits: RenderSettings(maximumPixels: 61 * 47 - 1)).detail
                    == "61×47 is 2867 pixels, the limit is 2866 (--max-pixels)")
            #expect(try failure(bytes, limits: RenderSettings(maximumEncodedBytes: bytes.count - 1)).code == .overLimit)
        }
    }
}
