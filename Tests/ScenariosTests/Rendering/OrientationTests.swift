// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rendering
import TestSupport
import Testing
import TrialKit

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

    /// The same photo stored upright and turned costs the same.
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
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 4, 0, 1, 0, 0, 0, 6, 0, 0, 0],
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
