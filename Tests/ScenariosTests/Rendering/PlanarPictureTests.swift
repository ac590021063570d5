// SPDX-License-Identifier: Apache-2.0

import Rendering
import TestSupport
import Testing
import TrialKit

/// What is seen of pictures that are kept as planes or as a copy, against the same decoded to pixels.
@Suite(.ownThreads) struct PlanarPictureTests {
    private static let sizes = [PixelSize(width: 251, height: 187), PixelSize(width: 64, height: 48)]
    private let ledger = BitmapLedger()

    private func planes(of picture: [UInt8]) throws(RenderFailure) -> PlanarPicture? {
        try Picture.planes(of: .of(picture), limits: RenderSettings(), ledger: ledger)
    }

    private func pixels(of picture: [UInt8]) throws(RenderFailure) -> [Pixel] {
        try Picture.decode(.of(picture), fitting: nil, limits: RenderSettings(), ledger: ledger).pixels
    }

    /// What a view of the picture's own size shows of its planes.
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
        #expect(try rendered(picture).note?.contains("BGRA") == true)
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
    func whatTheLibraryCannotDoIsNoDamage(text: String) {
        let failure = [UInt8]([0xFF, 0xD8]).withUnsafeBytes {
            JPEGComplaint(text: text, isWarning: false, bytes: $0).failure
        }
        #expect(failure.code == .unsupportedImage)
        #expect(failure.detail.contains(text))
    }

    @Test(arguments: sizes)
    func aCopyShowsTheSamePixels(size: PixelSize) throws {
        let picture = try Pillow.make("jpeg", size)
        let image = try #require(try rendered(picture, by: .copied(ledger: ledger)) as? HeldImage)
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
