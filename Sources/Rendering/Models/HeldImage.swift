// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A bitmap that is shown, with the encoded bytes it came from where the model keeps them.
package final class HeldImage: RenderedImage {
    /// The bitmap.
    package let bitmap: Bitmap

    private let encoded: EncodedBytes?
    private let ledger: BitmapLedger

    /// Holds a bitmap.
    init(_ bitmap: Bitmap, encoded: EncodedBytes?, ledger: BitmapLedger) {
        self.bitmap = bitmap
        self.encoded = encoded
        self.ledger = ledger
    }

    package var decodedWidth: Int? { bitmap.size.width }
    package var decodedHeight: Int? { bitmap.size.height }
    package var bitmapByteCount: Int { ledger.liveByteCount }
}
