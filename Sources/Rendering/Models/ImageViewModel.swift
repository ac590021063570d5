// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// Decodes the whole picture, keeps it together with its encoded bytes, and draws it once.
///
/// It stands for `UIImage(data:)` in an image view, which keeps the encoded bytes to decode them again after a purge.
package struct ImageViewModel: RenderModel {
    package let name = "imageview"
    package let summary = "decodes all pixels and keeps them with the encoded bytes, like UIImage(data:) in a view"
    package let needsBody = true
    package let environment = [DecoderMemory.environment.name: DecoderMemory.environment.value]

    private let ledger: BitmapLedger

    /// Creates the model, whose bitmaps are booked in a ledger.
    package init(ledger: BitmapLedger = .process) {
        self.ledger = ledger
    }

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        ImageView(try RenderStage(settings, ledger: ledger))
    }

    private final class ImageView: Renderer {
        private let stage: RenderStage

        init(_ stage: RenderStage) {
            self.stage = stage
        }

        func warmUp() throws(RenderFailure) {
            _ = try render(stage.warmUpBody)
        }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            let encoded = try EncodedBytes(body)
            let bitmap = try encoded.withBytes { bytes throws(RenderFailure) in
                let decoder = try JPEGDecoder()
                let bitmap = try Bitmap(decoder.size(of: bytes, limits: stage.settings), ledger: stage.ledger)
                try decoder.decode(bytes, into: bitmap)
                return bitmap
            }
            stage.framebuffer.draw(bitmap)
            return HeldImage(bitmap, encoded: encoded, ledger: stage.ledger)
        }
    }
}
