// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// Decodes a picture of any format that is known here: JPEG, PNG and WebP.
package enum Picture {
    /// The size of a picture, by its header alone; nothing has been allocated for it by then.
    ///
    /// - Throws: ``RenderFailure/Code/notAnImage``, ``RenderFailure/Code/truncatedImage``,
    ///   ``RenderFailure/Code/unsupportedImage`` or ``RenderFailure/Code/overLimit``.
    package static func size(
        of bytes: UnsafeRawBufferPointer, limits: RenderSettings
    ) throws(RenderFailure) -> PixelSize {
        switch try format(of: bytes, limits: limits) {
        case .jpeg: return try JPEGDecoder().size(of: bytes, limits: limits)
        case .png: return try checked(PNGHeader(parsing: bytes).size, limits)
        case .webP:
            let header = try WebPHeader(parsing: bytes)
            guard !header.isAnimated else { throw .unsupported("an animated WebP") }
            return try checked(header.size, limits)
        case .unsupported(let what): throw .unsupported(what)
        case .unknown: throw RenderFailure(.notAnImage, "neither JPEG, PNG nor WebP")
        }
    }

    /// Decodes a picture whose bytes are all there, and lets go of them as soon as its format allows.
    ///
    /// - Parameters:
    ///   - view: What the picture is fitted into, so that exactly the pixels come out that are shown; `nil` where all
    ///     are wanted. A JPEG is decoded at the smallest scale of eighths that covers them, a WebP at their size, a PNG
    ///     row by row.
    ///   - limits: What a picture may claim; checked before anything is allocated.
    ///   - ledger: Where its bitmaps are booked.
    /// - Throws: ``RenderFailure/Code/notAnImage``, ``RenderFailure/Code/truncatedImage``,
    ///   ``RenderFailure/Code/unsupportedImage``, ``RenderFailure/Code/overLimit`` or ``RenderFailure/Code/system``.
    package static func decode(
        _ encoded: consuming EncodedBytes, fitting view: PixelSize?, limits: RenderSettings, ledger: BitmapLedger
    ) throws(RenderFailure) -> Bitmap {
        try decoded(consume encoded, PictureOrder(view: view, limits: limits, ledger: ledger)).bitmap
    }

    /// The same, with what is to be said of how it was decoded.
    static func decoded(
        _ encoded: consuming EncodedBytes, _ order: PictureOrder
    ) throws(RenderFailure) -> DecodedPicture {
        let (step, fitted) = try step(of: consume encoded, order)
        // The bytes are gone by now, before the smaller bitmap comes.
        return DecodedPicture(bitmap: try order.scaled(step.bitmap, to: fitted), note: step.note)
    }

    /// The picture as its decoder yields it, not smaller than what is asked for, and the size that is.
    private static func step(
        of encoded: consuming EncodedBytes, _ order: PictureOrder
    ) throws(RenderFailure) -> (DecodedPicture, fitted: PixelSize) {
        let encoded = consume encoded
        return try encoded.withBytes { bytes throws(RenderFailure) in
            let fitted = order.fitted(try size(of: bytes, limits: order.limits))
            let step =
                switch ImageFormat(of: bytes) {
                case .png: try whole(bytes, by: PNGPieces(order))
                case .webP: try WebPDecoder.decode(bytes, order)
                default: DecodedPicture(bitmap: try JPEGDecoder.decode(bytes, order))
                }
            return (step, fitted)
        }
    }

    private static func whole(
        _ bytes: UnsafeRawBufferPointer, by decoder: any PieceDecoder
    ) throws(RenderFailure) -> DecodedPicture {
        try decoder.take(bytes)
        return try decoder.finish()
    }

    private static func format(
        of bytes: UnsafeRawBufferPointer, limits: RenderSettings
    ) throws(RenderFailure) -> ImageFormat {
        guard !bytes.isEmpty else { throw RenderFailure(.notAnImage, "the body is empty") }
        try limits.check(encodedByteCount: bytes.count)
        return ImageFormat(of: bytes)
    }

    private static func checked(_ size: PixelSize, _ limits: RenderSettings) throws(RenderFailure) -> PixelSize {
        try limits.check(size)
        return size
    }
}
