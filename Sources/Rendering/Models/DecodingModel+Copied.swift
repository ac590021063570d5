// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension DecodingModel {
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
}
