// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The decoder of all known formats: JPEG, PNG and WebP.
package enum Picture {
    /// Returns the size in a picture's header, as it is stored, before anything is allocated for the picture.
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

    /// Decodes a complete picture, releasing its bytes as soon as its format allows.
    ///
    /// - Parameters:
    ///   - encoded: The encoded bytes.
    ///   - view: The view to fit the picture into, or `nil` for all pixels. A JPEG is decoded at the smallest scale of
    ///     eighths that covers the fitted size, a WebP at that size, a PNG row by row.
    ///   - limits: The limits, checked before anything is allocated.
    ///   - ledger: The ledger that counts the bitmaps.
    package static func decode(
        _ encoded: consuming EncodedBytes, fitting view: PixelSize?, limits: RenderSettings, ledger: BitmapLedger
    ) throws(RenderFailure) -> Bitmap {
        try decoded(consume encoded, PictureOrder(view: view, limits: limits, ledger: ledger)).bitmap
    }

    /// Decodes a picture, with a note on how it was decoded.
    static func decoded(
        _ encoded: consuming EncodedBytes, _ order: PictureOrder
    ) throws(RenderFailure) -> DecodedPicture {
        let (step, fitted) = try step(of: consume encoded, order)
        // The bytes are released by now, before the smaller bitmap is allocated.
        let bitmap = try order.scaled(step.bitmap, to: fitted)
        return DecodedPicture(bitmap: bitmap, orientation: step.orientation, note: step.note)
    }

    /// Returns the picture as its decoder yields it, at least as large as the fitted size, and that size.
    private static func step(
        of encoded: consuming EncodedBytes, _ order: PictureOrder
    ) throws(RenderFailure) -> (DecodedPicture, fitted: PixelSize) {
        let encoded = consume encoded
        return try encoded.withBytes { bytes throws(RenderFailure) in
            let size = try size(of: bytes, limits: order.limits)
            let orientation = Orientation.of(bytes)
            var step =
                switch ImageFormat(of: bytes) {
                case .png: try whole(bytes, by: PNGPieces(order, orientation))
                case .webP: try WebPDecoder.decode(bytes, order, orientation)
                default: DecodedPicture(bitmap: try JPEGDecoder.decode(bytes, order, orientation))
                }
            step.orientation = orientation
            return (step, order.fitted(size, orientation))
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
