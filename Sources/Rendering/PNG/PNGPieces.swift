// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import FoundationEssentials
import TrialKit

/// A PNG decoder by rows, from pieces or from all bytes at once; colors are shown as they are stored.
///
/// An interlaced picture has no complete row before its last pass: all its pixels are held until then.
final class PNGPieces: PieceDecoder {
    private let order: PictureOrder
    private var head = HeadCollector(byteCount: PNGHeader.byteCount)
    private var chunks = PNGChunks()
    private var decoder: OpaquePointer?
    private var context: RowContext?
    private var bitmap: Bitmap?
    private var fitted = PixelSize(width: 0, height: 0)
    private var isComplete = false

    init(_ order: PictureOrder) {
        self.order = order
    }

    deinit {
        cimage_png_destroy(decoder)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        let (head, rest) = self.head.take(bytes)
        try head?.lend { head throws(RenderFailure) in
            try start(PNGHeader(parsing: head))
            try feed(head)
        }
        try feed(rest)
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        guard isComplete, let bitmap else {
            throw RenderFailure(.truncatedImage, "the PNG ends before its picture does")
        }
        guard bitmap.size != fitted else { return DecodedPicture(bitmap: bitmap) }
        let scaled = try order.scaled(bitmap, to: fitted)
        return DecodedPicture(
            bitmap: scaled, note: "an interlaced PNG, of which all pixels were held until its last pass")
    }

    private func start(_ header: PNGHeader) throws(RenderFailure) {
        try order.limits.check(header.size)
        fitted = order.fitted(header.size)
        let isWhole = header.isInterlaced && fitted != header.size
        if isWhole { try DecoderMemory.check(header.size.pixelCount * 4, toDecode: "an interlaced PNG") }
        let (target, bitmap) = try order.target(ofRowsOf: header.size, fitted: isWhole ? header.size : fitted)
        let context = RowContext(target)
        self.context = context
        self.bitmap = bitmap
        let size = header.size
        decoder = cimage_png_create(UInt32(size.width), UInt32(size.height), context.rows)
        guard decoder != nil else { throw RenderFailure(.system, "cannot start the PNG decoder") }
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard !isComplete, !bytes.isEmpty else { return }
        try chunks.pass(bytes) { bytes throws(RenderFailure) in
            switch cimage_png_feed(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) {
            case cimage_done: isComplete = true
            case cimage_more: break
            default: throw failure
            }
        }
    }

    private var failure: RenderFailure {
        let text = String(cString: cimage_png_error(decoder))
        let isMemory = text.lowercased().contains("memory")
        return RenderFailure(isMemory ? .system : .notAnImage, "a damaged PNG: \(text)")
    }
}
