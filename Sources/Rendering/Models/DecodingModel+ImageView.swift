// SPDX-License-Identifier: Apache-2.0

import TrialKit

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
}
