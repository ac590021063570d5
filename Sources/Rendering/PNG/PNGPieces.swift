// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import FoundationEssentials
import TrialKit

/// A PNG decoder by rows, from pieces or from all bytes at once; colors are shown as they are stored.
///
/// An interlaced picture has no complete row before its last pass: all its pixels are held until then.
final class PNGPieces: PieceDecoder {
    private let order: PictureOrder
    /// The orientation, or `nil` if it is in chunks that arrive.
    private var orientation: Orientation?
    private var header: PNGHeader?
    /// The needed chunks before the pixels, with which the decoder starts: their orientation decides on the size.
    private var beginning: [UInt8] = []
    /// More than any palette: a picture with so much before its pixels is not waited for.
    private static let longestBeginning = 65_536
    private var head = HeadCollector(byteCount: PNGHeader.byteCount)
    private var chunks = PNGChunks()
    private var decoder: OpaquePointer?
    private var context: RowContext?
    private var bitmap: Bitmap?
    private var fitted = PixelSize(width: 0, height: 0)
    private var isComplete = false

    init(_ order: PictureOrder, _ orientation: Orientation? = nil) {
        self.order = order
        self.orientation = orientation
    }

    deinit {
        cimage_png_destroy(decoder)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        let (head, rest) = self.head.take(bytes)
        try head?.lend { head throws(RenderFailure) in
            let header = try PNGHeader(parsing: head)
            try order.limits.check(header.size)
            self.header = header
            try feed(head)
        }
        try feed(rest)
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        guard isComplete, let bitmap else {
            throw RenderFailure(.truncatedImage, "the PNG ends before its picture does")
        }
        let orientation = orientation ?? .up
        guard bitmap.size != fitted else { return DecodedPicture(bitmap: bitmap, orientation: orientation) }
        let scaled = try order.scaled(bitmap, to: fitted)
        return DecodedPicture(
            bitmap: scaled, orientation: orientation,
            note: "an interlaced PNG, of which all pixels were held until its last pass")
    }

    /// Starts the decoder with the chunks before the pixels.
    private func start(with exif: [UInt8]) throws(RenderFailure) {
        guard let header else { preconditionFailure("chunks come behind the header") }
        let orientation = orientation ?? exif.lend { Orientation(exif: $0) } ?? .up
        self.orientation = orientation
        fitted = order.fitted(header.size, orientation)
        let isWhole = header.isInterlaced && fitted != header.size
        if isWhole { try order.limits.check(decoderBytes: header.size.pixelCount * 4, toDecode: "an interlaced PNG") }
        let (target, bitmap) = try order.target(ofRowsOf: header.size, fitted: isWhole ? header.size : fitted)
        let context = RowContext(target)
        self.context = context
        self.bitmap = bitmap
        let size = header.size
        decoder = cimage_png_create(UInt32(size.width), UInt32(size.height), context.rows)
        guard decoder != nil else { throw RenderFailure(.system, "cannot start the PNG decoder") }
        let bytes = beginning
        beginning = []
        try bytes.lend { bytes throws(RenderFailure) in try decode(bytes) }
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard !isComplete, !bytes.isEmpty else { return }
        try chunks.pass(bytes) { (bytes, exif) throws(RenderFailure) in
            if decoder == nil {
                guard exif != nil || beginning.count + bytes.count > Self.longestBeginning else {
                    beginning += bytes
                    return
                }
                try start(with: exif ?? [])
            }
            try decode(bytes)
        }
    }

    private func decode(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        switch cimage_png_feed(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) {
        case cimage_done: isComplete = true
        case cimage_more: break
        default: throw failure
        }
    }

    private var failure: RenderFailure {
        let text = String(cString: cimage_png_error(decoder))
        let isMemory = text.lowercased().contains("memory")
        return RenderFailure(isMemory ? .system : .notAnImage, "a damaged PNG: \(text)")
    }
}
