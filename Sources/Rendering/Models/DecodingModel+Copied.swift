// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension DecodingModel {
    /// What the rows of a bitmap have to be aligned to, in bytes, for a renderer to take it as it is.
    private static let rowAlignment = 64

    /// Decodes the whole picture as an image view does, and copies it once more for the screen: both stay.
    ///
    /// It stands for a bitmap that Core Animation has to copy when it commits, because its rows are not aligned or its
    /// format is another one.
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
}
