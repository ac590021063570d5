// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Rendering
import Testing
import TrialKit

@Suite struct JPEGDecoderTests {
    private let ledger = BitmapLedger()

    private func decode(
        _ bytes: [UInt8], eighths: Int = 8, limits: RenderSettings = RenderSettings()
    ) throws(RenderFailure) -> Bitmap {
        try EncodedBytes(FetchedBody(content: .memory(bytes), byteCount: bytes.count)).withBytes {
            buffer throws(RenderFailure) in
            let decoder = try JPEGDecoder(buffer, limits: limits)
            let bitmap = try Bitmap(decoder.size.scaled(eighths: eighths), ledger: ledger)
            _ = try decoder.decode(eighths: eighths, into: bitmap)
            return bitmap
        }
    }

    private func failure(_ bytes: [UInt8], limits: RenderSettings = RenderSettings()) throws -> RenderFailure {
        let failure = #expect(throws: RenderFailure.self) { _ = try decode(bytes, limits: limits) }
        #expect(ledger.liveByteCount == 0, "a failure leaves no bitmap behind")
        return try #require(failure)
    }

    @Test(
        arguments: [TestJPEG.Kind.fullColour, .halfColour, .progressive, .gray],
        [PixelSize(width: 64, height: 48), PixelSize(width: 257, height: 123), PixelSize(width: 1, height: 1)])
    func decodedPixelsAreTheOriginals(kind: TestJPEG.Kind, size: PixelSize) throws {
        let bitmap = try decode(TestJPEG.gradient(size, kind))
        #expect(bitmap.size == size)
        let worst = bitmap.withPixels { pixels in
            var worst = 0
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (found, wanted) = (pixels.row(y)[x], TestJPEG.gradientPixel(x, y, size))
                    for channel in 0..<3 { worst = max(worst, abs(Int(found[channel]) - Int(wanted[channel]))) }
                    if found.w != 255 { worst = .max }
                }
            }
            return worst
        }
        #expect(worst <= 3, "JPEG at quality 95 strays by this much at most, and is opaque")
    }

    @Test func blueStaysBlue() throws {
        let blue = Pixel(220, 40, 20, 255)
        let bitmap = try decode(TestJPEG.encode(PixelSize(width: 32, height: 32), .fullColour) { _, _ in blue })
        let found = bitmap.withPixels { $0.row(16)[16] }
        for channel in 0..<4 { #expect(abs(Int(found[channel]) - Int(blue[channel])) <= 4) }
    }

    @Test(arguments: 1...8)
    func scalesByEighthsAndRoundsUp(eighths: Int) throws {
        let bitmap = try decode(TestJPEG.gradient(PixelSize(width: 257, height: 123)), eighths: eighths)
        let corner = bitmap.withPixels { $0.row($0.height - 1)[$0.width - 1] }
        #expect(corner.w == 255, "the last pixel was decoded")
        #expect(corner.x >= 225, "and shows the gradient's brightest corner")
    }

    @Test(
        arguments: [
            ([], "empty"), (Array("<html>not found</html>".utf8), "Not a JPEG"), ([0xFF, 0xD8, 0xFF, 0xD9], ""),
        ] as [([UInt8], String)])
    func otherBytesAreNoImage(bytes: [UInt8], reason: String) throws {
        let failure = try failure(bytes)
        #expect(failure.code == .notAnImage)
        #expect(failure.detail.contains(reason) || reason.isEmpty)
    }

    @Test func cmykIsRefusedWithItsReason() throws {
        let failure = try failure(TestJPEG.gradient(PixelSize(width: 32, height: 32), .cmyk))
        #expect(failure.code == .unsupportedImage)
        #expect(failure.detail == "a CMYK JPEG, which no render model decodes")
    }

    @Test(arguments: [TestJPEG.Kind.halfColour, .progressive, .gray], [0.1, 0.5, 0.99])
    func aCutImageIsTruncated(kind: TestJPEG.Kind, share: Double) throws {
        let whole = try TestJPEG.grain(PixelSize(width: 160, height: 120), kind)
        let failure = try failure(Array(whole.prefix(Int(Double(whole.count) * share))))
        #expect(failure.code == .truncatedImage)
    }

    @Test func aHugeClaimIsRefusedWithItsFigures() throws {
        let small = try TestJPEG.gradient(PixelSize(width: 16, height: 16))
        let failure = try failure(TestJPEG.claiming(PixelSize(width: 20_000, height: 20_000), in: small))
        #expect(failure.code == .overLimit)
        #expect(failure.detail == "20000×20000 is 400000000 pixels, the limit is 100000000 (--max-pixels)")
    }

    @Test func limitsAreInclusive() throws {
        let bytes = try TestJPEG.gradient(PixelSize(width: 20, height: 10))
        let exact = RenderSettings(maximumPixels: 200, maximumEncodedBytes: bytes.count)
        #expect(try decode(bytes, limits: exact).size.pixelCount == 200)
        #expect(try failure(bytes, limits: RenderSettings(maximumPixels: 199)).code == .overLimit)
        let tooShort = RenderSettings(maximumEncodedBytes: bytes.count - 1)
        #expect(
            try failure(bytes, limits: tooShort).detail
                == "\(bytes.count) encoded bytes, the limit is \(bytes.count - 1)")
    }

    @Test func endlessScansAreCutOff() throws {
        let bytes = try TestJPEG.grain(PixelSize(width: 64, height: 64), .progressive)
        let scan = try #require(bytes.indices.last { bytes[$0] == 0xFF && bytes[min($0 + 1, bytes.count - 1)] == 0xDA })
        let last = bytes[scan..<(bytes.count - 2)]
        let bomb = bytes.dropLast(2) + Array(repeating: last, count: 600).joined() + [0xFF, 0xD9]
        let failure = try failure(Array(bomb))
        #expect(failure.code == .overLimit)
        #expect(failure.detail.contains("500 scans"))
    }
}

@Suite(.ownThreads) struct DecoderLimitTests {
    private static let size = PixelSize(width: 3000, height: 2000)
    private static let view = PixelSize(width: 1170, height: 1170)

    /// All pixels are 22.9 MiB, the thumbnail's 3.5; beside them the encoded bytes are held twice for a moment.
    @Test(.peakMemory(under: .mebibytes(16)), arguments: ["jpeg", "webp"])
    func aStreamedThumbnailNeedsNoWholeBitmap(kind: String) throws {
        let bytes = try Pillow.make(kind, Self.size)
        let consumer = PictureConsumer(fitting: Self.view, limits: RenderSettings(), ledger: BitmapLedger())
        bytes.withUnsafeBytes { all in
            for start in stride(from: 0, to: all.count, by: 16_384) {
                consumer.take(UnsafeRawBufferPointer(rebasing: all[start..<min(start + 16_384, all.count)]))
            }
        }
        #expect(try consumer.finish().size == PixelSize(width: 1170, height: 780))
    }
}
