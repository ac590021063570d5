// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// Decodes no more pixels than the view needs, keeps exactly the view's, and drops the source.
///
/// It stands for `CGImageSourceCreateThumbnailAtIndex`. A picture smaller than the view is not enlarged.
package struct ThumbnailModel: RenderModel {
    package let name = "thumbnail"
    package let summary = "decodes at the smallest N/8 that covers the view, keeps exactly the view's pixels"
    package let needsBody = true
    package let environment = [DecoderMemory.environment.name: DecoderMemory.environment.value]

    private let ledger: BitmapLedger

    /// Creates the model, whose bitmaps are booked in a ledger.
    package init(ledger: BitmapLedger = .process) {
        self.ledger = ledger
    }

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        Thumbnailer(try RenderStage(settings, ledger: ledger))
    }

    private final class Thumbnailer: Renderer {
        private let stage: RenderStage

        init(_ stage: RenderStage) {
            self.stage = stage
        }

        func warmUp() throws(RenderFailure) {
            _ = try render(stage.warmUpBody)
        }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            let (step, size) = try decodeStep(body)
            let thumbnail =
                step.size == size ? step : try stage.framebuffer.thumbnail(of: step, size: size, ledger: stage.ledger)
            stage.framebuffer.draw(thumbnail)
            return HeldImage(thumbnail, encoded: nil, ledger: stage.ledger)
        }

        /// Decodes at the decoder's nearest scale; the source and its mapping are gone when this returns.
        ///
        /// - Returns: The decoded bitmap and the size that the view shows.
        private func decodeStep(
            _ body: consuming FetchedBody
        ) throws(RenderFailure) -> (step: Bitmap, fitted: PixelSize) {
            let encoded = try EncodedBytes(body)
            return try encoded.withBytes { bytes throws(RenderFailure) in
                let decoder = try JPEGDecoder()
                let size = try decoder.size(of: bytes, limits: stage.settings)
                let fitted = size.fitted(into: stage.framebuffer.size)
                let step = try Bitmap(size.smallestScaled(covering: fitted), ledger: stage.ledger)
                try decoder.decode(bytes, into: step)
                return (step, fitted)
            }
        }
    }
}
