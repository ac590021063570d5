// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension DecodingModel {
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
                picture.note = "a picture that stores no planes of luma and chroma alone: all pixels were kept as BGRA"
                stage.framebuffer.draw(picture.bitmap)
                return HeldImage(picture, encoded: encoded, ledger: stage.ledger)
            }
            try stage.framebuffer.draw(planes)
            let orientation = try encoded.withBytes { Orientation.of($0) }
            return HeldPlanes(planes, orientation, encoded: encoded, ledger: stage.ledger)
        }
    }
}

private final class HeldPlanes: RenderedImage {
    private let planes: PlanarPicture
    private let size: PixelSize
    private let encoded: EncodedBytes
    private let ledger: BitmapLedger

    init(_ planes: PlanarPicture, _ orientation: Orientation, encoded: EncodedBytes, ledger: BitmapLedger) {
        self.planes = planes
        size = orientation.isTurned ? planes.size.turned : planes.size
        self.encoded = encoded
        self.ledger = ledger
    }

    var decodedWidth: Int? { size.width }
    var decodedHeight: Int? { size.height }
    var bitmapByteCount: Int { ledger.liveByteCount }
}
