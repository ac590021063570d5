// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension DecodingModel {
    /// Decodes no more pixels than the view needs, keeps exactly the view's, and drops the source.
    ///
    /// It stands for `CGImageSourceCreateThumbnailAtIndex`. A picture smaller than the view is not enlarged.
    package static func thumbnail(ledger: BitmapLedger = .process) -> DecodingModel {
        DecodingModel(
            "thumbnail", "decodes at the smallest N/8 that covers the view, keeps exactly the view's pixels",
            ledger: ledger
        ) { body, stage throws(RenderFailure) in
            let (step, size) = try decodedStep(of: consume body, on: stage)
            let thumbnail =
                step.size == size ? step : try stage.framebuffer.thumbnail(of: step, size: size, ledger: stage.ledger)
            stage.framebuffer.draw(thumbnail)
            return HeldImage(thumbnail, encoded: nil, ledger: stage.ledger)
        }
    }

    /// Decodes at the decoder's nearest scale; the source and its mapping are gone when this returns.
    ///
    /// - Returns: The decoded bitmap and the size that the view shows.
    private static func decodedStep(
        of body: consuming FetchedBody, on stage: RenderStage
    ) throws(RenderFailure) -> (step: Bitmap, fitted: PixelSize) {
        let encoded = try EncodedBytes(consume body)
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
