// SPDX-License-Identifier: Apache-2.0

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

    package init(ledger: BitmapLedger = .process) {
        self.ledger = ledger
    }

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        Streaming(try RenderStage(settings, ledger: ledger))
    }

    private final class Streaming: Renderer {
        /// The piece size for a body that has already arrived.
        private static let pieceLength = 64 * 1024

        private let stage: RenderStage

        init(_ stage: RenderStage) {
            self.stage = stage
        }

        func warmUp() throws(RenderFailure) {
            for body in stage.warmUpBodies { _ = try render(body) }
        }

        func makeConsumer() -> (any BodyConsumer)? {
            PictureConsumer(stage.arrivingPixels)
        }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            if case .consumed(let consumer as PictureConsumer) = body.content {
                return show(try consumer.finished())
            }
            return show(try picture(of: consume body))
        }

        /// Decodes a complete body in pieces.
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
            return HeldImage(picture, encoded: nil, ledger: stage.ledger)
        }
    }
}
