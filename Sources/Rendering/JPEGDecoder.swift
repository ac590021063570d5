// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import CTurboJPEG
package import TrialKit

/// A decoder of libjpeg for one picture, and the decision about it, which is the same for all render models.
///
/// As djpeg decides: an error refuses a picture, even if it has all of its rows by then. So does an end before the
/// picture's own, whose last rows are made up. What else the library warns of is shown by every viewer, and noted.
package final class LibJPEG {
    /// The limit of TurboJPEG's flag `TJFLAG_LIMITSCANS`.
    private static let mostScans = 500
    /// The messages of two versions of the library about exceeding the memory limit.
    private static let memoryLimitTexts = ["Backing store not supported", "Memory limit exceeded"]
    /// The messages of the library about intact pictures that it cannot decode, or not in this way.
    private static let rareKindTexts = [
        "Unsupported JPEG", "Unsupported color", "not implemented", "Suspension not allowed",
    ]
    static let truncation = RenderFailure(.truncatedImage, "the JPEG ends before its picture does")

    let pointer: OpaquePointer
    private let limits: RenderSettings

    init(_ limits: RenderSettings) throws(RenderFailure) {
        guard let pointer = cimage_jpeg_create(limits.decoderBytes, Self.mostScans) else {
            throw RenderFailure(.system, "cannot start the JPEG decoder")
        }
        (self.pointer, self.limits) = (pointer, limits)
    }

    deinit { cimage_jpeg_destroy(pointer) }

    func header() throws(RenderFailure) -> (cimage_jpeg_header, PixelSize) {
        var header = cimage_jpeg_header()
        cimage_jpeg_read_header(pointer, &header)
        let size = PixelSize(width: header.width, height: header.height)
        try limits.check(size)
        // Inks require a color profile.
        guard !header.is_cmyk else { throw .unsupported("a CMYK JPEG") }
        return (header, size)
    }

    /// Returns notes on a picture that is complete; throws if some of it is made up.
    func finish(_ header: cimage_jpeg_header) throws(RenderFailure) -> String? {
        guard !cimage_jpeg_is_cut(pointer), !cimage_jpeg_lacks_rows(pointer) else { throw Self.truncation }
        let warnings = cimage_jpeg_warning_count(pointer)
        let notes = [
            header.is_progressive ? "a progressive JPEG: its coefficients were held until the last scan" : nil,
            warnings > 0
                ? "a damaged JPEG, of which libjpeg warns (\(warnings) ×, first: \(String(cString: cimage_jpeg_warning(pointer))))"
                : nil,
        ].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    var failure: RenderFailure {
        Self.failure(String(cString: cimage_jpeg_error(pointer)), isCut: cimage_jpeg_is_cut(pointer))
    }

    package static func failure(_ text: String, isCut: Bool) -> RenderFailure {
        if memoryLimitTexts.contains(where: text.contains) {
            return RenderFailure(
                .overLimit, "decoding needs more working memory than the limit of --max-decode-memory allows")
        }
        if text.contains("more than 500 scans") { return RenderFailure(.overLimit, text) }
        if text.contains("Insufficient memory") { return RenderFailure(.system, text) }
        if rareKindTexts.contains(where: text.contains) { return .unsupported("a JPEG of a rare kind (\(text))") }
        return isCut ? truncation : RenderFailure(.notAnImage, text)
    }
}

/// A JPEG of which all bytes are there, decoded once: to pixels, or to planes as they are stored.
package struct JPEGDecoder {
    package let size: PixelSize
    private let library: LibJPEG
    private let header: cimage_jpeg_header

    /// Reads the header.
    /// - Parameter bytes: The picture, which has to outlive the decoder.
    package init(_ bytes: UnsafeRawBufferPointer, limits: RenderSettings) throws(RenderFailure) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else {
            throw RenderFailure(.notAnImage, "the body is empty")
        }
        try limits.check(encodedByteCount: bytes.count)
        library = try LibJPEG(limits)
        guard cimage_jpeg_open(library.pointer, start, bytes.count) == cimage_header else { throw library.failure }
        (header, size) = try library.header()
    }

    /// Decodes at the smallest scale of eighths that covers the order.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ order: PictureOrder, _ orientation: Orientation
    ) throws(RenderFailure) -> DecodedPicture {
        let decoder = try JPEGDecoder(bytes, limits: order.limits)
        let fitted = order.fitted(decoder.size, orientation)
        let bitmap = try Bitmap(decoder.size.smallestScaled(covering: fitted), ledger: order.ledger)
        let note = try decoder.decode(eighths: decoder.size.eighths(covering: fitted), into: bitmap)
        return DecodedPicture(bitmap: bitmap, note: note)
    }

    /// Decodes into a bitmap of the picture's size at `eighths`/8, and returns notes.
    package func decode(eighths: Int, into bitmap: Bitmap) throws(RenderFailure) -> String? {
        let context = RowContext(BitmapTarget(bitmap))
        cimage_jpeg_decode_rows(library.pointer, UInt32(eighths), context.rows)
        return try withExtendedLifetime(context) { () throws(RenderFailure) in try finish() }
    }

    /// Returns the planes, or `nil` if they cannot be shown as stored: other colors, or samples for parts of pixels.
    func planes(ledger: BitmapLedger) throws(RenderFailure) -> DecodedPlanes? {
        guard header.is_yuv, [1, 3].contains(header.component_count) else { return nil }
        let planes = [header.planes.0, header.planes.1, header.planes.2].prefix(header.component_count)
        let shapes = planes.map {
            PlanarPicture.Shape(stride: $0.width, height: $0.height, columns: $0.columns, rows: $0.rows)
        }
        let picture = try PlanarPicture(size, shapes, .full, ledger: ledger)
        var starts: [UnsafeMutablePointer<UInt8>?] = picture.planes.map(\.start)
        starts += Array(repeating: nil, count: 3 - starts.count)
        cimage_jpeg_decode_planes(library.pointer, starts)
        return DecodedPlanes(picture: picture, note: try finish())
    }

    private func finish() throws(RenderFailure) -> String? {
        guard cimage_jpeg_decode(library.pointer) == cimage_done else { throw library.failure }
        return try library.finish(header)
    }
}

extension DecodingModel.WarmUpPicture {
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

/// A decoder for a JPEG that arrives in pieces, at the smallest scale of eighths that covers the order.
///
/// Its pixels equal those of ``JPEGDecoder`` at the same scale. A progressive picture is held as coefficients until its
/// last scan, which completes every pixel.
final class JPEGPieces: PieceDecoder {
    private let library: LibJPEG
    private let order: PictureOrder
    private var header = cimage_jpeg_header()
    private var context: RowContext?
    private var bitmap: Bitmap?
    private var isComplete = false
    private var orientation = Orientation.up

    init(_ order: PictureOrder) throws(RenderFailure) {
        library = try LibJPEG(order.limits)
        self.order = order
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        var rest = bytes[...]
        while !isComplete {
            var taken = 0
            let piece = UnsafeRawBufferPointer(rebasing: rest).bindMemory(to: UInt8.self)
            let step = cimage_jpeg_feed(library.pointer, piece.baseAddress, piece.count, &taken)
            rest = rest.dropFirst(taken)
            switch step {
            case cimage_header: try start()
            case cimage_more: return
            case cimage_done: isComplete = true
            default: throw library.failure
            }
        }
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        guard isComplete, let bitmap else { throw LibJPEG.truncation }
        return DecodedPicture(bitmap: bitmap, orientation: orientation, note: try library.finish(header))
    }

    private func start() throws(RenderFailure) {
        let size: PixelSize
        (header, size) = try library.header()
        guard !header.is_arithmetic else {
            throw RenderFailure(
                .unsupportedImage, "an arithmetic-coded JPEG, which no decoder takes in pieces: show it another way")
        }
        let exif = UnsafeRawBufferPointer(start: header.exif, count: header.exif_length)
        orientation = Orientation(exif: exif) ?? .up
        let fitted = order.fitted(size, orientation)
        let eighths = size.eighths(covering: fitted)
        let (target, bitmap) = try order.target(ofRowsOf: size.scaled(eighths: eighths), fitted: fitted)
        let context = RowContext(target)
        (self.context, self.bitmap) = (context, bitmap)
        cimage_jpeg_decode_rows(library.pointer, UInt32(eighths), context.rows)
    }
}
