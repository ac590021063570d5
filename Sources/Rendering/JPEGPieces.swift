// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import TrialKit

/// A decoder for a JPEG that arrives in pieces, at the smallest scale of eighths that covers the order.
///
/// Its pixels equal those of ``JPEGDecoder`` at the same scale. A progressive picture is held as coefficients until its
/// last scan, which completes every pixel.
final class JPEGPieces: PieceDecoder {
    /// The limit of TurboJPEG's flag `TJFLAG_LIMITSCANS`.
    static let mostScans = 500

    private let decoder: OpaquePointer
    private let order: PictureOrder
    private var context: RowContext?
    private var bitmap: Bitmap?
    private var isComplete = false
    private var note: String?
    private var orientation = Orientation.up

    init(_ order: PictureOrder) throws(RenderFailure) {
        guard let decoder = cimage_jpeg_create(order.limits.decoderBytes, Self.mostScans) else {
            throw RenderFailure(.system, "cannot start the JPEG decoder")
        }
        self.decoder = decoder
        self.order = order
    }

    deinit {
        cimage_jpeg_destroy(decoder)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        var rest = bytes[...]
        while !isComplete {
            var taken = 0
            let piece = UnsafeRawBufferPointer(rebasing: rest).bindMemory(to: UInt8.self)
            let step = cimage_jpeg_feed(decoder, piece.baseAddress, piece.count, &taken)
            rest = rest.dropFirst(taken)
            switch step {
            case cimage_header: try start()
            case cimage_more: return
            case cimage_done: isComplete = true
            default: throw failure
            }
        }
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        guard isComplete, let bitmap else {
            throw RenderFailure(.truncatedImage, "the JPEG ends before its picture does")
        }
        let warning = String(cString: cimage_jpeg_warning(decoder))
        let complaint = JPEGComplaint(text: warning, isWarning: !warning.isEmpty, hasEnd: true)
        guard !complaint.isTruncation else { throw complaint.failure }
        return DecodedPicture(bitmap: bitmap, orientation: orientation, note: note)
    }

    private func start() throws(RenderFailure) {
        var header = cimage_jpeg_header()
        cimage_jpeg_read_header(decoder, &header)
        let size = PixelSize(width: header.width, height: header.height)
        try order.limits.check(size)
        guard !header.is_cmyk else { throw JPEGComplaint.ofInk }
        guard !header.is_arithmetic else {
            throw RenderFailure(
                .unsupportedImage, "an arithmetic-coded JPEG, which no decoder takes in pieces: show it another way")
        }
        if header.is_progressive { note = "a progressive JPEG: its coefficients were held until the last scan" }
        let exif = UnsafeRawBufferPointer(start: header.exif, count: header.exif_length)
        orientation = Orientation(exif: exif) ?? .up
        let fitted = order.fitted(size, orientation)
        let eighths = size.eighths(covering: fitted)
        let (target, bitmap) = try order.target(ofRowsOf: size.scaled(eighths: eighths), fitted: fitted)
        let context = RowContext(target)
        self.context = context
        self.bitmap = bitmap
        cimage_jpeg_decode_rows(decoder, UInt32(eighths), context.rows)
    }

    private var failure: RenderFailure {
        let warning = String(cString: cimage_jpeg_warning(decoder))
        let error = String(cString: cimage_jpeg_error(decoder))
        return JPEGComplaint(text: error, isWarning: !warning.isEmpty, hasEnd: true).failure
    }
}
