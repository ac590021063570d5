// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A decoder that is given a picture's bytes as they come, and decodes as far as they go.
///
/// It is used from one task at a time.
protocol PieceDecoder: AnyObject {
    /// Takes the next bytes; what follows the end of the picture is of no matter.
    ///
    /// - Throws: What is wrong with the picture, as soon as it is known. Nothing can be taken after that.
    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure)

    /// The picture, once every byte was taken.
    ///
    /// - Throws: ``RenderFailure/Code/truncatedImage`` where it has no end.
    func finish() throws(RenderFailure) -> DecodedPicture
}

struct DecodedPicture: Sendable {
    /// The pixels that were asked for.
    let bitmap: Bitmap
    /// Why decoding has cost more than the pixels, in words for a report; `nil` where it has not.
    var note: String?
}

/// What is to be made of a picture: all its pixels, or those that a view shows.
struct PictureOrder: Sendable {
    /// The view it is fitted into, or `nil` where all pixels are wanted.
    let view: PixelSize?
    let limits: RenderSettings
    /// Where its bitmaps are booked.
    let ledger: BitmapLedger
    /// What scales, where one stands ready that nobody else uses meanwhile; `nil` where it is to be made.
    var scaler: AreaScaler?

    /// The size that a picture of this size is decoded to in the end.
    func fitted(_ size: PixelSize) -> PixelSize {
        view.map { size.fitted(into: $0) } ?? size
    }

    /// Where the rows of a picture go that are decoded at a size, and the bitmap that they end up in.
    ///
    /// - Throws: ``RenderFailure/Code/system`` where the kernel refuses the pages.
    func target(ofRowsOf step: PixelSize, fitted: PixelSize) throws(RenderFailure) -> (any RowTarget, Bitmap) {
        let bitmap = try Bitmap(fitted, ledger: ledger)
        if step == fitted { return (BitmapTarget(bitmap), bitmap) }
        return (try ScalingTarget(step, into: bitmap, readyScaler(for: fitted)), bitmap)
    }

    /// A picture of which all pixels are held, scaled down to a size.
    ///
    /// - Throws: ``RenderFailure/Code/system`` where the kernel refuses the pages.
    func scaled(_ whole: Bitmap, to fitted: PixelSize) throws(RenderFailure) -> Bitmap {
        if whole.size == fitted { return whole }
        let bitmap = try Bitmap(fitted, ledger: ledger)
        let scaler = try readyScaler(for: fitted)
        whole.withPixels { source in bitmap.withPixels { scaler.scale(source, into: $0) } }
        return bitmap
    }

    private func readyScaler(for fitted: PixelSize) throws(RenderFailure) -> AreaScaler {
        if let scaler { return scaler }
        return try AreaScaler(maximumWidth: fitted.width)
    }
}
