// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A consumer that decodes a body while it arrives and keeps none of its bytes.
///
/// Unchecked, because pieces arrive sequentially and the result is read after the last one.
package final class PictureConsumer: BodyConsumer, @unchecked Sendable {
    private let order: PictureOrder
    private var picture: StreamedPicture?
    private var failure: RenderFailure?

    /// Creates a consumer for the pixels that a view shows, or for all if it is `nil`.
    package convenience init(fitting view: PixelSize?, limits: RenderSettings, ledger: BitmapLedger) {
        self.init(PictureOrder(view: view, limits: limits, ledger: ledger))
    }

    init(_ order: PictureOrder) {
        self.order = order
    }

    package func take(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        let picture = picture ?? StreamedPicture(order)
        self.picture = picture
        do throws(RenderFailure) {
            try picture.take(bytes)
        } catch {
            failure = error
            // Releases its bitmap, too.
            self.picture = nil
        }
    }

    /// Returns the bitmap after the last piece, or throws the first failure; then the consumer can take another body.
    package func finish() throws(RenderFailure) -> Bitmap {
        try finished().bitmap
    }

    /// Returns the picture with a note on how it was decoded.
    func finished() throws(RenderFailure) -> DecodedPicture {
        defer { (picture, failure) = (nil, nil) }
        if let failure { throw failure }
        return try (picture ?? StreamedPicture(order)).finish()
    }
}
