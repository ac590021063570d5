// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import CTurboJPEG
package import TrialKit

/// A decoder for a single image, so that none of its memory outlives the decoding.
package struct JPEGDecoder: ~Copyable {
    private let handle: tjhandle

    package init() throws(RenderFailure) {
        guard let handle = tjInitDecompress() else {
            throw RenderFailure(.system, "cannot start the JPEG decoder")
        }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// Returns the picture's size after checking it against the limits, before anything is allocated for it.
    package func size(
        of bytes: UnsafeRawBufferPointer, limits: RenderSettings
    ) throws(RenderFailure) -> PixelSize {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else {
            throw RenderFailure(.notAnImage, "the body is empty")
        }
        try limits.check(encodedByteCount: bytes.count)
        // Zeros remain if the bytes hold tables and no picture, which the library does not treat as an error.
        var (width, height, subsampling, colorspace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        // A status of −1 with a size is a warning, or sampling factors and colors that TurboJPEG cannot express:
        // decoding shows whether libjpeg supports those.
        let status = tjDecompressHeader3(
            handle, start, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
        let size = PixelSize(width: Int(width), height: Int(height))
        guard size.width > 0, size.height > 0 else {
            throw status == 0 ? RenderFailure(.notAnImage, "a JPEG without a picture") : failure(decoding: bytes)
        }
        try limits.check(size)
        guard colorspace != CInt(TJCS_CMYK.rawValue), colorspace != CInt(TJCS_YCCK.rawValue) else {
            throw JPEGComplaint.ofInk
        }
        return size
    }

    /// Decodes a picture at the smallest scale of eighths that covers the order.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ order: PictureOrder, _ orientation: Orientation
    ) throws(RenderFailure) -> Bitmap {
        let decoder = try JPEGDecoder()
        let size = try decoder.size(of: bytes, limits: order.limits)
        let bitmap = try Bitmap(size.smallestScaled(covering: order.fitted(size, orientation)), ledger: order.ledger)
        try decoder.decode(bytes, into: bitmap)
        return bitmap
    }

    /// Decodes the picture at the bitmap's size, which is the picture's own or scaled by eighths.
    package func decode(_ bytes: UnsafeRawBufferPointer, into bitmap: Bitmap) throws(RenderFailure) {
        let isComplete = bitmap.withPixels { pixels in
            let target = UnsafeMutableRawPointer(pixels.start).assumingMemoryBound(to: UInt8.self)
            let status = tjDecompress2(
                handle, bytes.bindMemory(to: UInt8.self).baseAddress, UInt(bytes.count), target,
                CInt(pixels.width), 0, CInt(pixels.height), CInt(TJPF_BGRA.rawValue), TJFLAG_LIMITSCANS)
            // Pages are zero until written and the decoder writes opaque pixels, so the last pixel shows whether all
            // rows were written; a status of −1 does not.
            return status == 0 || pixels.row(pixels.height - 1)[pixels.width - 1].w == 255 && isWarningAlone(bytes)
        }
        guard isComplete else { throw failure(decoding: bytes) }
    }

    /// True if the library's complaint leaves a whole picture.
    ///
    /// Every viewer shows extraneous bytes, an odd Adobe marker or a damaged stretch, at the cost of an intact image,
    /// so they count as decoded. An image without its end does not: its last rows are made up.
    private func isWarningAlone(_ bytes: UnsafeRawBufferPointer) -> Bool {
        tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue)
            && !JPEGComplaint(text: errorText, isWarning: true, bytes: bytes).isTruncation
    }

    /// The library's message, which is kept per thread.
    private var errorText: String {
        tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given"
    }

    private func failure(decoding bytes: UnsafeRawBufferPointer) -> RenderFailure {
        let isWarning = tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue)
        return JPEGComplaint(text: errorText, isWarning: isWarning, bytes: bytes).failure
    }
}

/// A warning or error of libjpeg-turbo, with what is needed to judge it.
///
/// A status of −1 means both a picture with a warning and no picture. The error code is not enough either: it stays at
/// *warning* if a fatal error follows one. So code, text and the image's end are judged together.
package struct JPEGComplaint {
    /// The library's text: that of the fatal error if any, else that of the first warning.
    package var text: String
    /// True if there was a warning; a fatal error may have followed it.
    package var isWarning: Bool
    package var hasEnd: Bool

    /// The distance from the end within which an end marker is searched: cameras and servers append bytes.
    private static let tailLength = 65_536

    /// The messages of two versions of the library about exceeding the memory limit.
    private static let memoryLimitTexts = ["Backing store not supported", "Memory limit exceeded"]

    /// The messages of the library about intact pictures that it cannot decode, or not in this way.
    private static let rareKindTexts = [
        "Unsupported JPEG", "Unsupported color", "not implemented", "Suspension not allowed",
    ]

    /// The failure of a CMYK picture, which requires a color profile.
    static let ofInk = RenderFailure.unsupported("a CMYK JPEG")

    /// Creates a complaint about an image whose bytes are all present.
    package init(text: String, isWarning: Bool, bytes: UnsafeRawBufferPointer) {
        let tail = bytes.suffix(Self.tailLength)
        // Within picture data no byte 0xFF is followed by 0xD9, so a truncated picture has no such pair.
        let hasEnd = zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
        self.init(text: text, isWarning: isWarning, hasEnd: hasEnd)
    }

    init(text: String, isWarning: Bool, hasEnd: Bool) {
        (self.text, self.isWarning, self.hasEnd) = (text, isWarning, hasEnd)
    }

    /// True if the image ends before the picture does.
    ///
    /// Only the first warning's text is kept, so after any other warning the missing end marker is the indication.
    package var isTruncation: Bool {
        isWarning && (text.contains("remature end") || !hasEnd)
    }

    package var failure: RenderFailure {
        if Self.memoryLimitTexts.contains(where: text.contains) {
            return RenderFailure(
                .overLimit, "decoding needs more working memory than the limit of --max-decode-memory allows")
        }
        if text.contains("more than 500 scans") { return RenderFailure(.overLimit, text) }
        if text.contains("Insufficient memory") { return RenderFailure(.system, text) }
        if Self.rareKindTexts.contains(where: text.contains) {
            return .unsupported("a JPEG of a rare kind (\(text))")
        }
        return RenderFailure(isTruncation ? .truncatedImage : .notAnImage, text)
    }
}

extension WarmUpPicture {
    private static let side: CInt = 16

    /// A gray picture, which the decoder's own library encodes.
    static func jpeg() throws(RenderFailure) -> [UInt8] {
        guard let handle = tjInitCompress() else {
            throw RenderFailure(.system, "cannot start the JPEG encoder")
        }
        defer { tjDestroy(handle) }
        let pixels = [UInt8](repeating: 128, count: Int(side * side) * 3)
        let capacity = Int(tjBufSize(side, side, CInt(TJSAMP_420.rawValue)))
        var isEncoded = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var target = buffer.baseAddress
            var length = UInt(capacity)
            isEncoded =
                tjCompress2(
                    handle, pixels, side, 0, side, CInt(TJPF_RGB.rawValue), &target, &length,
                    CInt(TJSAMP_420.rawValue), 90, TJFLAG_NOREALLOC) == 0
            count = isEncoded ? Int(length) : 0
        }
        guard isEncoded else { throw RenderFailure(.system, "cannot encode the picture for the warm-up") }
        return bytes
    }
}

/// A decoder for the planes of a JPEG as they are stored, without conversion to pixels.
enum JPEGPlanes {
    /// Returns the planes, or `nil` if they cannot be shown as stored.
    ///
    /// This applies to other colors, to samples for parts of pixels, and to an arithmetic code, whose decoder requires
    /// all bytes at once.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ order: PictureOrder) throws(RenderFailure) -> PlanarPicture? {
        guard let decoder = cimage_jpeg_create(order.limits.decoderBytes, JPEGPieces.mostScans) else {
            throw RenderFailure(.system, "cannot start the JPEG decoder")
        }
        defer { cimage_jpeg_destroy(decoder) }
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        var taken = 0
        guard cimage_jpeg_feed(decoder, start, bytes.count, &taken) == cimage_header else {
            throw failure(of: decoder, bytes)
        }
        var header = cimage_jpeg_header()
        cimage_jpeg_read_header(decoder, &header)
        let size = PixelSize(width: header.width, height: header.height)
        try order.limits.check(size)
        guard header.is_yuv, !header.is_arithmetic, [1, 3].contains(header.component_count) else { return nil }
        let picture = try PlanarPicture(size, shapes(of: header), .full, ledger: order.ledger)
        var planes: [UnsafeMutablePointer<UInt8>?] = picture.planes.map(\.start)
        planes += Array(repeating: nil, count: 3 - planes.count)
        cimage_jpeg_decode_planes(decoder, planes)
        let offset = taken
        guard cimage_jpeg_feed(decoder, start?.advanced(by: offset), bytes.count - offset, &taken) == cimage_done else {
            throw failure(of: decoder, bytes)
        }
        let warning = complaint(of: decoder, bytes)
        guard !warning.isTruncation else { throw warning.failure }
        return picture
    }

    private static func shapes(of header: cimage_jpeg_header) -> [PlanarPicture.Shape] {
        let planes = [header.planes.0, header.planes.1, header.planes.2].prefix(header.component_count)
        return planes.map {
            PlanarPicture.Shape(stride: $0.width, height: $0.height, columns: $0.columns, rows: $0.rows)
        }
    }

    private static func complaint(of decoder: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> JPEGComplaint {
        let error = String(cString: cimage_jpeg_error(decoder))
        let warning = String(cString: cimage_jpeg_warning(decoder))
        return JPEGComplaint(text: error.isEmpty ? warning : error, isWarning: !warning.isEmpty, bytes: bytes)
    }

    /// The reason why a decoder stopped: its error, or else truncated bytes.
    private static func failure(of decoder: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> RenderFailure {
        guard cimage_jpeg_error(decoder).pointee != 0 else {
            return RenderFailure(.truncatedImage, "the JPEG ends before its picture does")
        }
        return complaint(of: decoder, bytes).failure
    }
}

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
        (self.decoder, self.order) = (decoder, order)
    }

    deinit { cimage_jpeg_destroy(decoder) }

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
        (self.context, self.bitmap) = (context, bitmap)
        cimage_jpeg_decode_rows(decoder, UInt32(eighths), context.rows)
    }

    private var failure: RenderFailure {
        let warning = String(cString: cimage_jpeg_warning(decoder))
        let error = String(cString: cimage_jpeg_error(decoder))
        return JPEGComplaint(text: error, isWarning: !warning.isEmpty, hasEnd: true).failure
    }
}
