// SPDX-License-Identifier: Apache-2.0

package import TrialKit

package enum RenderCatalog {
    /// The models except `none`, in the order of lists and help texts.
    package static let all: [any RenderModel] = [
        DecodingModel.imageView(), DecodingModel.thumbnail(), StreamThumbnailModel(), DecodingModel.copied(),
        DecodingModel.planar(),
    ]
}

package struct DecodingModel: RenderModel {
    package let name: String
    package let summary: String
    package let needsBody = true
    package let environment = [DecoderMemory.environment.name: DecoderMemory.environment.value]
    private let ledger: BitmapLedger
    private let show: Show

    /// Decodes a body, draws it into the stage's framebuffer, and returns what the model keeps.
    ///
    /// Only the kept part of the body may be alive when it returns.
    typealias Show = @Sendable (consuming FetchedBody, RenderStage) throws(RenderFailure) -> any RenderedImage

    init(_ name: String, _ summary: String, ledger: BitmapLedger = .process, show: @escaping Show) {
        (self.name, self.summary, self.ledger, self.show) = (name, summary, ledger, show)
    }

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        Decoding(try RenderStage(settings, ledger: ledger), show)
    }

    private final class Decoding: Renderer {
        private let stage: RenderStage
        private let show: Show

        init(_ stage: RenderStage, _ show: @escaping Show) {
            (self.stage, self.show) = (stage, show)
        }

        func warmUp() throws(RenderFailure) {
            for body in stage.warmUpBodies { _ = try show(body, stage) }
        }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            try show(consume body, stage)
        }
    }

    private final class HeldPlanes: RenderedImage {
        private let planes: PlanarPicture
        let note: String?
        private let size: PixelSize
        private let encoded: EncodedBytes
        private let ledger: BitmapLedger

        init(_ decoded: DecodedPlanes, _ orientation: Orientation, encoded: EncodedBytes, ledger: BitmapLedger) {
            (planes, note) = (decoded.picture, decoded.note)
            size = orientation.isTurned ? planes.size.turned : planes.size
            (self.encoded, self.ledger) = (encoded, ledger)
        }

        var decodedWidth: Int? { size.width }
        var decodedHeight: Int? { size.height }
        var bitmapByteCount: Int { ledger.liveByteCount }
    }

    /// Gray pictures of 16×16 pixels that a warm-up decodes, to load each decoder's code and tables.
    enum WarmUpPicture {
        static let png: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
            0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x10, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x91, 0x68,
            0x36, 0x00, 0x00, 0x00, 0x19, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x6C, 0x68, 0x68, 0x60,
            0x20, 0x05, 0x30, 0x31, 0x90, 0x08, 0x46, 0x35, 0x8C, 0x6A, 0x18, 0x3A, 0x1A, 0x00, 0xC9, 0x4C,
            0x01, 0xA0, 0xE7, 0x82, 0x90, 0xE0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42,
            0x60, 0x82,
        ]

        static let webP: [UInt8] = [
            0x52, 0x49, 0x46, 0x46, 0x24, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x20,
            0x18, 0x00, 0x00, 0x00, 0x50, 0x01, 0x00, 0x9D, 0x01, 0x2A, 0x10, 0x00, 0x10, 0x00, 0x01, 0x40,
            0x26, 0x25, 0xA4, 0x00, 0x04, 0x74, 0x00, 0x00, 0xE4, 0x40, 0x00, 0x00,
        ]
    }

    /// A bitmap that is shown, with whatever else its model keeps.
    package final class HeldImage: RenderedImage {
        package let bitmap: Bitmap
        private let size: PixelSize
        package let note: String?

        package let copy: Bitmap?

        private let encoded: EncodedBytes?
        private let ledger: BitmapLedger

        init(_ picture: DecodedPicture, copy: Bitmap? = nil, encoded: EncodedBytes?, ledger: BitmapLedger) {
            bitmap = picture.bitmap
            size = picture.orientation.isTurned ? picture.bitmap.size.turned : picture.bitmap.size
            note = picture.note
            (self.copy, self.encoded, self.ledger) = (copy, encoded, ledger)
        }

        package var decodedWidth: Int? { size.width }
        package var decodedHeight: Int? { size.height }
        package var bitmapByteCount: Int { ledger.liveByteCount }
    }
}

/// The state of a decoding renderer before the baseline: limits, a framebuffer, and pictures to warm up with.
struct RenderStage: Sendable {
    let settings: RenderSettings
    let ledger: BitmapLedger
    let framebuffer: Framebuffer
    let warmUpPictures: [[UInt8]]

    init(_ settings: RenderSettings, ledger: BitmapLedger) throws(RenderFailure) {
        (self.settings, self.ledger) = (settings, ledger)
        framebuffer = try Framebuffer(settings)
        warmUpPictures = [
            try DecodingModel.WarmUpPicture.jpeg(), DecodingModel.WarmUpPicture.png, DecodingModel.WarmUpPicture.webP,
        ]
    }

    var warmUpBodies: [FetchedBody] {
        warmUpPictures.map { FetchedBody(content: .memory($0), byteCount: $0.count) }
    }

    var wholePicture: PictureOrder {
        PictureOrder(view: nil, limits: settings, ledger: ledger)
    }

    /// An order of the view's pixels, to be decoded while nothing is drawn.
    var viewsPixels: PictureOrder {
        PictureOrder(view: framebuffer.size, limits: settings, ledger: ledger, scaler: framebuffer.scaler)
    }

    /// An order of the view's pixels, to be decoded while other pictures may be drawn.
    var arrivingPixels: PictureOrder {
        PictureOrder(view: framebuffer.size, limits: settings, ledger: ledger)
    }
}

extension DecodingModel {
    /// A model that decodes the whole picture, keeps it with its encoded bytes, and draws it once.
    ///
    /// It simulates `UIImage(data:)` in an image view, which keeps the encoded bytes to decode them again after a
    /// purge.
    package static func imageView(ledger: BitmapLedger = .process) -> DecodingModel {
        DecodingModel(
            "imageview", "decodes all pixels and keeps them with the encoded bytes, like UIImage(data:) in a view",
            ledger: ledger
        ) { body, stage throws(RenderFailure) in
            let encoded = try EncodedBytes(consume body)
            let picture = try Picture.decoded(encoded, stage.wholePicture)
            stage.framebuffer.draw(picture.bitmap)
            return HeldImage(picture, encoded: encoded, ledger: stage.ledger)
        }
    }

    /// A model that decodes no more pixels than the view needs, keeps exactly the view's, and drops the source.
    ///
    /// It simulates `CGImageSourceCreateThumbnailAtIndex`. A picture smaller than the view is not enlarged.
    package static func thumbnail(ledger: BitmapLedger = .process) -> DecodingModel {
        DecodingModel(
            "thumbnail", "decodes at the smallest N/8 that covers the view, keeps exactly the view's pixels",
            ledger: ledger
        ) { body, stage throws(RenderFailure) in
            let picture = try Picture.decoded(EncodedBytes(consume body), stage.viewsPixels)
            stage.framebuffer.draw(picture.bitmap)
            return HeldImage(picture, encoded: nil, ledger: stage.ledger)
        }
    }

    /// The alignment of rows in bytes that a renderer requires to use a bitmap without copying.
    private static let rowAlignment = 64

    /// A model that decodes the whole picture as an image view does and keeps one more copy for the screen.
    ///
    /// It simulates the copy that Core Animation makes in a commit if a bitmap's rows are not aligned or its format
    /// differs.
    package static func copied(ledger: BitmapLedger = .process) -> DecodingModel {
        DecodingModel(
            "copied", "imageview, and one more aligned copy of all pixels, as Core Animation makes it in a commit",
            ledger: ledger
        ) { body, stage throws(RenderFailure) in
            let encoded = try EncodedBytes(consume body)
            let picture = try Picture.decoded(encoded, stage.wholePicture)
            let copy = try Bitmap(picture.bitmap.size, rowAlignment: rowAlignment, ledger: stage.ledger)
            picture.bitmap.copyPixels(to: copy)
            stage.framebuffer.draw(copy)
            return HeldImage(picture, copy: copy, encoded: encoded, ledger: stage.ledger)
        }
    }

    /// A model that decodes the whole picture to planes, keeps them with its encoded bytes, and draws them once.
    ///
    /// It simulates a hardware JPEG decoder, which leaves the samples as they are stored. Formats that store pixels are
    /// kept as by ``imageView(ledger:)``, because such decoders do not support them.
    package static func planar(ledger: BitmapLedger = .process) -> DecodingModel {
        DecodingModel(
            "imageview-yuv",
            """
            imageview with the planes that a JPEG or a lossy WebP stores (1.5·W·H at 4:2:0), as hardware decodes; a PNG \
            and all other pictures stay BGRA, which is noted with the figures
            """,
            ledger: ledger
        ) { body, stage throws(RenderFailure) in
            let encoded = try EncodedBytes(consume body)
            guard let planes = try Picture.planes(of: encoded, stage.wholePicture) else {
                var picture = try Picture.decoded(encoded, stage.wholePicture)
                let reason = "a picture that stores no planes of luma and chroma alone: all pixels were kept as BGRA"
                picture.note = picture.note.map { reason + "; " + $0 } ?? reason
                stage.framebuffer.draw(picture.bitmap)
                return HeldImage(picture, encoded: encoded, ledger: stage.ledger)
            }
            try stage.framebuffer.draw(planes.picture)
            let orientation = try encoded.withBytes { Orientation.of($0) }
            return HeldPlanes(planes, orientation, encoded: encoded, ledger: stage.ledger)
        }
    }
}
