// SPDX-License-Identifier: Apache-2.0

import Rendering
import TrialKit

/// Decodes an image to a bitmap of its own size, or of the size at which a view shows it.
enum PictureDecoder {
    /// Decodes; of a picture larger than the view no more pixels than the decoder's next step above it.
    static func decode(
        _ encoded: EncodedBytes, fitting view: PixelSize?, limits: RenderSettings, ledger: BitmapLedger
    ) throws(RenderFailure) -> Bitmap {
        try encoded.withBytes { bytes throws(RenderFailure) in
            let decoder = try JPEGDecoder()
            let size = try decoder.size(of: bytes, limits: limits)
            let fitted = view.map { size.fitted(into: $0) } ?? size
            let step = try Bitmap(size.smallestScaled(covering: fitted), ledger: ledger)
            try decoder.decode(bytes, into: step)
            guard step.size != fitted else { return step }
            let bitmap = try Bitmap(fitted, ledger: ledger)
            let scaler = try AreaScaler(maximumWidth: fitted.width)
            step.withPixels { source in bitmap.withPixels { target in scaler.scale(source, into: target) } }
            return bitmap
        }
    }

    /// What decoding holds beside the picture that comes of it, in bytes; 0 of what is no picture.
    static func heldByteCount(_ encoded: EncodedBytes, fitting view: PixelSize?, limits: RenderSettings) -> Int {
        let count = try? encoded.withBytes { bytes throws(RenderFailure) in
            let decoder = try JPEGDecoder()
            return DecodeCost.byteCount(bytes, of: try decoder.size(of: bytes, limits: limits), fitting: view)
        }
        return count ?? 0
    }
}
