// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import TrialKit

/// A model that decodes bytes as they arrive, or from the fetched file, and keeps only the view's pixels.
///
/// It never holds the body. It simulates an incremental image source, and its pixels equal those of the model
/// `thumbnail`.
package struct StreamThumbnailModel: RenderModel {
    package let name = "stream-thumbnail"
    package let summary = """
        decodes while the bytes arrive, or piece by piece from a file, and keeps exactly the view's pixels: 4·w·h, \
        regardless of the original's size; memory that its \
        format requires (progressive, interlaced, lossless WebP) is noted with the figures
        """
    package let needsBody = true
    package let takesPieces = true
    package let environment = [DecoderMemory.environment.name: DecoderMemory.environment.value]
    private let ledger: BitmapLedger

    package init(ledger: BitmapLedger = .process) { self.ledger = ledger }

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        Streaming(try RenderStage(settings, ledger: ledger))
    }

    private final class Streaming: Renderer {
        /// The piece size for a body that has already arrived.
        private static let pieceLength = 64 * 1024

        private let stage: RenderStage

        init(_ stage: RenderStage) { self.stage = stage }

        func warmUp() throws(RenderFailure) {
            for body in stage.warmUpBodies { _ = try render(body) }
        }

        func makeConsumer() -> (any BodyConsumer)? { PictureConsumer(stage.arrivingPixels) }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            if case .consumed(let consumer as PictureConsumer) = body.content {
                return show(try consumer.finished())
            }
            return show(try picture(of: consume body))
        }

        private func picture(of body: consuming FetchedBody) throws(RenderFailure) -> DecodedPicture {
            if case .file(let path) = body.content {
                let picture = StreamedPicture(stage.arrivingPixels)
                try FilePieces.read(path, length: Self.pieceLength) { piece throws(RenderFailure) in
                    try picture.take(piece)
                }
                return try picture.finish()
            }
            let encoded = try EncodedBytes(consume body)
            return try encoded.withBytes { bytes throws(RenderFailure) in
                let picture = StreamedPicture(stage.arrivingPixels)
                var rest = bytes[...]
                while !rest.isEmpty {
                    try picture.take(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceLength)))
                    rest = rest.dropFirst(Self.pieceLength)
                }
                return try picture.finish()
            }
        }

        private func show(_ picture: DecodedPicture) -> any RenderedImage {
            stage.framebuffer.draw(picture.bitmap)
            return DecodingModel.HeldImage(picture, encoded: nil, ledger: stage.ledger)
        }
    }
}

final class StreamedPicture: PieceDecoder {
    private let order: PictureOrder
    private var head = HeadCollector(byteCount: ImageFormat.byteCount)
    private var byteCount = 0
    private var decoder: (any PieceDecoder)?

    init(_ order: PictureOrder) { self.order = order }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        byteCount += bytes.count
        try order.limits.check(encodedByteCount: byteCount)
        let (head, rest) = self.head.take(bytes)
        if let head { _ = try start(with: head) }
        try decoder?.take(rest)
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        if let decoder { return try decoder.finish() }
        guard byteCount > 0 else { throw RenderFailure(.notAnImage, "the body is empty") }
        return try start(with: head.bytes).finish()
    }

    /// Creates the decoder of the format of the first bytes, and passes it these.
    private func start(with head: [UInt8]) throws(RenderFailure) -> any PieceDecoder {
        let decoder = try head.lend { head throws(RenderFailure) in
            let decoder = try makeDecoder(ImageFormat(of: head))
            try decoder.take(head)
            return decoder
        }
        self.decoder = decoder
        return decoder
    }

    private func makeDecoder(_ format: ImageFormat) throws(RenderFailure) -> any PieceDecoder {
        switch format {
        case .jpeg: return try JPEGPieces(order)
        case .png: return PNGPieces(order)
        case .webP: return WebPPieces(order)
        case .unsupported(let what): throw .unsupported(what)
        case .unknown: throw RenderFailure(.notAnImage, "neither JPEG, PNG nor WebP")
        }
    }
}

/// A consumer that decodes a body while it arrives and keeps none of its bytes.
///
/// Unchecked, because pieces arrive sequentially and the result is read after the last one.
package final class PictureConsumer: BodyConsumer, @unchecked Sendable {
    private let order: PictureOrder
    private var picture: StreamedPicture?
    private var failure: RenderFailure?

    package convenience init(fitting view: PixelSize?, limits: RenderSettings, ledger: BitmapLedger) {
        self.init(PictureOrder(view: view, limits: limits, ledger: ledger))
    }

    init(_ order: PictureOrder) { self.order = order }

    package func take(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        let picture = picture ?? StreamedPicture(order)
        self.picture = picture
        do throws(RenderFailure) {
            try picture.take(bytes)
        } catch {
            failure = error
            // Releases its bitmap, too.
            self.picture = nil
        }
    }

    /// Returns the bitmap after the last piece, or throws the first failure; then the consumer can take another body.
    package func finish() throws(RenderFailure) -> Bitmap { try finished().bitmap }

    func finished() throws(RenderFailure) -> DecodedPicture {
        defer { (picture, failure) = (nil, nil) }
        if let failure { throw failure }
        return try (picture ?? StreamedPicture(order)).finish()
    }
}
