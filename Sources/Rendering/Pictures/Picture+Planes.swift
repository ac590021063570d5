// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension Picture {
    /// Decodes a picture to planes of luma and chroma as they are stored.
    ///
    /// Returns `nil` if it stores no such planes: a PNG, a WebP that is lossless or has alpha, a JPEG of other colors
    /// or of samples for parts of pixels.
    package static func planes(
        of encoded: EncodedBytes, limits: RenderSettings, ledger: BitmapLedger
    ) throws(RenderFailure) -> PlanarPicture? {
        try planes(of: encoded, PictureOrder(view: nil, limits: limits, ledger: ledger))
    }

    static func planes(
        of encoded: EncodedBytes, _ order: PictureOrder
    ) throws(RenderFailure) -> PlanarPicture? {
        try encoded.withBytes { bytes throws(RenderFailure) in
            _ = try size(of: bytes, limits: order.limits)
            switch ImageFormat(of: bytes) {
            case .jpeg: return try JPEGPlanes.decode(bytes, order)
            case .webP: return try WebPPlanes.decode(bytes, order)
            default: return nil
            }
        }
    }
}
