// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// Makes a picture of a body while that arrives; of the body nothing is kept.
///
/// Unchecked, because pieces come one after the other, and what became of them is asked for behind the last one.
package final class PictureConsumer: BodyConsumer, @unchecked Sendable {
    private let order: PictureOrder
    private var picture: StreamedPicture?
    private var failure: RenderFailure?

    /// Takes a body of which the pixels are wanted that a view shows, or all where there is none.
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
            // Its bitmap goes, too.
            self.picture = nil
        }
    }

    /// The bitmap, once the last piece was taken; after that the consumer holds nothing and can take another body.
    ///
    /// - Throws: What was wrong with the body: the first thing that was.
    package func finish() throws(RenderFailure) -> Bitmap {
        try finished().bitmap
    }

    /// The same, with what is to be said of how it was decoded.
    func finished() throws(RenderFailure) -> DecodedPicture {
        defer { (picture, failure) = (nil, nil) }
        if let failure { throw failure }
        return try (picture ?? StreamedPicture(order)).finish()
    }
}
