// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Picture {
    /// Decodes a picture to planes of luma and chroma, as they are stored.
    ///
    /// - Returns: The planes, or `nil` where it stores pixels: a PNG, a WebP that is lossless or has an alpha, a JPEG of
    ///   other colors.
    /// - Throws: As ``decode(_:fitting:limits:ledger:)``.
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
