// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rendering
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
    func unsupportedFormatsAreNamed(kind: String, name: String) throws {
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

@Suite(.ownThreads) struct PlanarPictureTests {
    private static let sizes = [PixelSize(width: 251, height: 187), PixelSize(width: 64, height: 48)]
    private let ledger = BitmapLedger()

    private func planes(of picture: [UInt8]) throws(RenderFailure) -> PlanarPicture? {
        try Picture.planes(of: .of(picture), limits: RenderSettings(), ledger: ledger)
    }

    private func pixels(of picture: [UInt8]) throws(RenderFailure) -> [Pixel] {
        try Picture.decode(.of(picture), fitting: nil, limits: RenderSettings(), ledger: ledger).pixels
    }

    private func shown(_ picture: [UInt8], _ size: PixelSize) throws -> [Pixel] {
        let view = try Framebuffer(RenderSettings(viewWidth: size.width, viewHeight: size.height))
        let planes = try #require(try planes(of: picture))
        #expect(planes.size == size)
        try view.draw(planes)
        return view.withPixels { rows in
            (0..<rows.height).flatMap { y in (0..<rows.width).map { x in rows.row(y)[x] } }
        }
    }

    /// Chroma that is shared by pixels is shown without smoothing, which a soft gradient hides.
    @Test(
        arguments: [
            ("jpeg-444", 2), ("jpeg-gray", 2), ("jpeg-smooth", 6), ("jpeg-smooth-422", 6), ("webp-smooth", 6),
        ], sizes)
    func planesShowThePixelsOfThePicture(kind: (String, Int), size: PixelSize) throws {
        let picture = try Pillow.make(kind.0, size)
        #expect(difference(try shown(picture, size), try pixels(of: picture)) <= kind.1)
    }

    @Test(arguments: sizes, [[1, 1], [2, 1], [1, 2]])
    func factorsThatAreAllTheSameShareNothing(size: PixelSize, factor: [Int]) throws {
        let same = (columns: factor[0], rows: factor[1])
        let picture = try FlatBlocks.jpeg(size, [same, same, same])
        let pixels = try pixels(of: picture)
        #expect(difference(try shown(picture, size), pixels) <= 2)
        #expect(Set(pixels).count > 4, "the blocks differ")
    }

    /// Chroma that is finer than luma, and a luma that is not the finest: no sample of such planes stands at its pixel.
    @Test(arguments: [[1, 1, 2, 2], [1, 2, 2, 2], [1, 1, 1, 2]])
    func chromaFinerThanLumaIsKeptAsPixels(factors: [Int]) throws {
        let (luma, chroma) = ((factors[0], factors[1]), (factors[2], factors[3]))
        let picture = try FlatBlocks.jpeg(Self.sizes[0], [luma, chroma, chroma])
        #expect(try planes(of: picture) == nil)
        #expect(Set(try pixels(of: picture)).count > 4, "TurboJPEG has no word for these factors and decodes them")
        #expect(try rendered(picture).note?.contains("BGRA") == true)
        #expect(ledger.liveByteCount == 0)
    }

    /// Three samples beside two: libjpeg has not written that, and a plane of them would be read behind its end.
    @Test(arguments: [[1, 3, 1, 2], [3, 1, 2, 1]])
    func samplesOfPartsOfPixelsAreOfARareKind(factors: [Int]) throws {
        let (luma, chroma) = ((factors[0], factors[1]), (factors[2], factors[3]))
        let picture = try FlatBlocks.jpeg(Self.sizes[0], [luma, chroma, chroma])
        #expect(try planes(of: picture) == nil)
        for model in RenderCatalog.all {
            let renderer = try model.makeRenderer(RenderSettings(viewWidth: 60, viewHeight: 60))
            let failure = #expect(throws: RenderFailure.self) {
                _ = try renderer.render(FetchedBody(content: .memory(picture), byteCount: picture.count))
            }
            #expect(failure?.code == .unsupportedImage, "\(model.name): \(failure?.detail ?? "")")
        }
    }

    /// Larger than what the decoder of pieces holds, so that it would have to wait for bytes.
    @Test func anArithmeticCodeIsDecodedWhereAllBytesAreThere() throws {
        let size = PixelSize(width: 640, height: 480)
        let picture = try Pillow.make("jpeg-arithmetic", size)
        #expect(picture.count > 100_000)
        let same = try Pillow.make("jpeg-huffman", size)
        #expect(picture.count != same.count)
        #expect(difference(try pixels(of: picture), try Pillow.pixels(of: same)) == 0)
        #expect(try planes(of: picture)?.size == size, "planes need all bytes as well")
        let consumer = PictureConsumer(fitting: nil, limits: RenderSettings(), ledger: ledger)
        picture.withUnsafeBytes { consumer.take($0) }
        let failure = #expect(throws: RenderFailure.self) { _ = try consumer.finish() }
        #expect(failure?.code == .unsupportedImage)
        #expect(failure?.detail.contains("arithmetic") == true)
    }

    @Test(arguments: [
        "Unsupported JPEG process: SOF type 0xc3", "Unsupported color conversion request",
        "Fractional sampling not implemented yet", "Suspension not allowed here",
    ])
    func unsupportedFeaturesAreNotDamage(text: String) {
        let failure = LibJPEG.failure(text, isCut: false)
        #expect(failure.code == .unsupportedImage)
        #expect(failure.detail.contains(text))
    }

    @Test(arguments: sizes)
    func aCopyShowsTheSamePixels(size: PixelSize) throws {
        let picture = try Pillow.make("jpeg", size)
        let image = try #require(try rendered(picture, by: .copied(ledger: ledger)) as? DecodingModel.HeldImage)
        let copy = try #require(image.copy)
        #expect(copy.size == size)
        #expect(copy.pixels == image.bitmap.pixels)
        #expect(difference(copy.pixels, try Pillow.pixels(of: picture)) == 0)
    }

    private func rendered(_ picture: [UInt8], by model: DecodingModel? = nil) throws -> any RenderedImage {
        let model = model ?? .planar(ledger: ledger)
        let renderer = try model.makeRenderer(RenderSettings(viewWidth: 60, viewHeight: 60))
        return try renderer.render(FetchedBody(content: .memory(picture), byteCount: picture.count))
    }
}

/// Photos that were taken upright, and stored as the sensor lies: Pillow's `exif_transpose` says how they are shown.
@Suite(.ownThreads) struct OrientationTests {
    private static let formats = ["jpeg", "jpeg-progressive", "jpeg-422", "png", "png-alpha", "webp", "webp-lossless"]
    private static let photos = formats.flatMap { format in (1...8).map { "\(format)@\($0)" } }
    private static let size = PixelSize(width: 250, height: 130)
    private static let view = PixelSize(width: 60, height: 90)

    private func render(_ model: any RenderModel, _ bytes: [UInt8]) throws -> any RenderedImage {
        let settings = RenderSettings(viewWidth: Self.view.width, viewHeight: Self.view.height)
        return try model.makeRenderer(settings).render(
            FetchedBody(content: .memory(bytes), byteCount: bytes.count))
    }

    private func size(_ image: any RenderedImage) -> PixelSize {
        PixelSize(width: image.decodedWidth ?? 0, height: image.decodedHeight ?? 0)
    }

    @Test(arguments: photos) func everyModelShowsAPhotoAsItWasTaken(photo: String) throws {
        let bytes = try Pillow.make(photo, Self.size)
        let truth = try Pillow.shown(bytes, in: Self.view)
        #expect(truth.whole == (photo.last.map { "5678".contains($0) } == true ? Self.size.turned : Self.size))
        let ledger = BitmapLedger()
        let whole: [any RenderModel] = [
            DecodingModel.imageView(ledger: ledger), DecodingModel.copied(ledger: ledger),
            DecodingModel.planar(ledger: ledger),
        ]
        for model in whole {
            #expect(size(try render(model, bytes)) == truth.whole, "\(model.name)")
        }
        let fitted: [any RenderModel] = [
            DecodingModel.thumbnail(ledger: ledger), StreamThumbnailModel(ledger: ledger),
        ]
        for model in fitted {
            let image = try render(model, bytes)
            let found = size(image)
            #expect(abs(found.width - truth.fitted.width) <= 1, "\(model.name): \(found), \(truth.fitted)")
            #expect(abs(found.height - truth.fitted.height) <= 1, "\(model.name): \(found), \(truth.fitted)")
            #expect(image.bitmapByteCount == (found.pixelCount * 4 + 4095) / 4096 * 4096)
        }
        #expect(ledger.liveByteCount == 0)
    }

    @Test(arguments: ["jpeg", "png", "webp"]) func aTurnedPhotoCostsWhatTheUprightOneCosts(format: String) throws {
        let turned = try Pillow.make("\(format)@6", Self.size)
        let upright = try Pillow.make(format, Self.size.turned)
        for make in [DecodingModel.thumbnail, DecodingModel.imageView] as [(BitmapLedger) -> DecodingModel] {
            let (first, second) = (BitmapLedger(), BitmapLedger())
            let images = (try render(make(first), turned), try render(make(second), upright))
            #expect(size(images.0) == size(images.1))
            #expect(images.0.bitmapByteCount == images.1.bitmapByteCount)
        }
    }

    @Test(arguments: [1, 7, 100, 1 << 20]) func piecesOfAnyLengthAreTurnedAlike(length: Int) throws {
        for photo in ["jpeg@8", "png@5", "webp@6"] {
            let bytes = try Pillow.make(photo, Self.size)
            let ledger = BitmapLedger()
            let consumer = PictureConsumer(fitting: Self.view, limits: RenderSettings(), ledger: ledger)
            var rest = bytes[...]
            while !rest.isEmpty {
                Array(rest.prefix(length)).withUnsafeBytes { consumer.take($0) }
                rest = rest.dropFirst(length)
            }
            let truth = try Pillow.shown(bytes, in: Self.view).fitted.turned
            let found = try consumer.finish().size
            #expect(abs(found.width - truth.width) <= 1 && abs(found.height - truth.height) <= 1, "\(photo)")
        }
    }

    /// Data that no camera writes changes nothing, and is never read beyond its end.
    @Test(
        arguments: [
            [], [0x49, 0x49, 0x2A, 0x00], [0x49, 0x49, 0x2A, 0, 0xFF, 0xFF, 0xFF, 0x7F],
            [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0xFF, 0xFF],
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0],
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 5, 0, 1, 0, 0, 0, 6, 0, 0, 0],
        ] as [[UInt8]])
    func brokenDataIsNoOrientation(exif: [UInt8]) throws {
        var segment: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1]
        let content = Array("Exif\0\0".utf8) + exif
        segment += [UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
        let bytes = segment + (try Pillow.make("jpeg", Self.size)).dropFirst(2)
        #expect(bytes.withUnsafeBytes { Orientation.of($0) } == .up)
        #expect(size(try render(StreamThumbnailModel(ledger: BitmapLedger()), bytes)).width == 60)
    }
}
