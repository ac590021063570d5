// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A decoder that takes a picture's bytes as they arrive, in one task at a time.
protocol PieceDecoder: AnyObject {
    /// Takes the next bytes, ignoring those after the end of the picture; after it throws, nothing can be taken.
    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure)

    /// Returns the picture after the last bytes; throws ``RenderFailure/Code/truncatedImage`` if its end is missing.
    func finish() throws(RenderFailure) -> DecodedPicture
}

struct DecodedPicture: Sendable {
    let bitmap: Bitmap
    var orientation = Orientation.up
    /// The reason why decoding cost more than the pixels, for a report, or `nil`.
    var note: String?
}

/// The wanted pixels of a picture: all, or those that a view shows.
struct PictureOrder: Sendable {
    /// The view to fit into, or `nil` for all pixels.
    let view: PixelSize?
    let limits: RenderSettings
    let ledger: BitmapLedger
    /// A scaler that is not otherwise in use, or `nil` to create one.
    var scaler: AreaScaler?

    /// Returns the size to which a picture is scaled as it is stored, so that it fits into the view as it is shown.
    func fitted(_ size: PixelSize, _ orientation: Orientation) -> PixelSize {
        view.map { size.fitted(into: orientation.isTurned ? $0.turned : $0) } ?? size
    }

    /// Returns the target for rows of a decoded size, and the bitmap they end up in.
    func target(ofRowsOf step: PixelSize, fitted: PixelSize) throws(RenderFailure) -> (any RowTarget, Bitmap) {
        let bitmap = try Bitmap(fitted, ledger: ledger)
        if step == fitted { return (BitmapTarget(bitmap), bitmap) }
        return (try ScalingTarget(step, into: bitmap, readyScaler(for: fitted)), bitmap)
    }

    /// Returns a fully decoded picture scaled down to a size.
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
