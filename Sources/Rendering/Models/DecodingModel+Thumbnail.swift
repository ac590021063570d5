// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension DecodingModel {
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
}
