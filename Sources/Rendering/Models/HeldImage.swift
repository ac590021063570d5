// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A bitmap that is shown, with whatever else its model keeps.
package final class HeldImage: RenderedImage {
    package let bitmap: Bitmap
    /// The size as it is shown.
    private let size: PixelSize
    package let note: String?

    /// The copy for the screen, if its model makes one.
    package let copy: Bitmap?

    private let encoded: EncodedBytes?
    private let ledger: BitmapLedger

    init(_ picture: DecodedPicture, copy: Bitmap? = nil, encoded: EncodedBytes?, ledger: BitmapLedger) {
        bitmap = picture.bitmap
        size = picture.orientation.isTurned ? picture.bitmap.size.turned : picture.bitmap.size
        note = picture.note
        self.copy = copy
        self.encoded = encoded
        self.ledger = ledger
    }

    package var decodedWidth: Int? { size.width }
    package var decodedHeight: Int? { size.height }
    package var bitmapByteCount: Int { ledger.liveByteCount }
}
