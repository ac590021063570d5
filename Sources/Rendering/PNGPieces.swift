// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import FoundationEssentials
import TrialKit

/// A PNG decoder by rows, from pieces or from all bytes at once; colors are shown as they are stored.
///
/// An interlaced picture has no complete row before its last pass: all its pixels are held until then.
final class PNGPieces: PieceDecoder {
    private let order: PictureOrder
    private var orientation: Orientation?
    private var header: Header?
    /// The needed chunks before the pixels, with which the decoder starts: their orientation decides on the size.
    private var beginning: [UInt8] = []
    /// More than any palette: a picture with so much before its pixels is not waited for.
    private static let longestBeginning = 65_536
    private var head = HeadCollector(byteCount: Header.byteCount)
    private var chunks = PNGChunks()
    private var decoder: OpaquePointer?
    private var context: RowContext?
    private var bitmap: Bitmap?
    private var fitted = PixelSize(width: 0, height: 0)
    private var isComplete = false

    init(_ order: PictureOrder, _ orientation: Orientation? = nil) {
        (self.order, self.orientation) = (order, orientation)
    }

    deinit { cimage_png_destroy(decoder) }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        let (head, rest) = self.head.take(bytes)
        try head?.lend { head throws(RenderFailure) in
            let header = try Header(parsing: head)
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
        var picture = DecodedPicture(bitmap: try order.scaled(bitmap, to: fitted), orientation: orientation ?? .up)
        let last = chunks.exif.lend { Orientation(exif: $0) } ?? picture.orientation
        if bitmap.size != fitted {
            picture.note = "an interlaced PNG, of which all pixels were held until its last pass"
        } else if last != picture.orientation {
            picture.orientation = last
            picture.note = "a PNG with its orientation behind its pixels: they were fitted as if they were not turned"
        }
        return picture
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
        (self.context, self.bitmap) = (context, bitmap)
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

    /// A filter that drops a PNG's profiles, texts and thumbnails, which libpng would collect before examining them.
    struct PNGChunks {
        /// A chunk that is needed although its name marks it as ancillary: the transparent color.
        private static let transparency = Array("tRNS".utf8)
        private static let exifName = Array("eXIf".utf8)
        private static let pixels = Array("IDAT".utf8)

        /// The length of a chunk's check sum.
        private static let tailLength = 4

        private var reader = ChunkReader(behind: Header.signature.count) { head in
            head[..<4].reduce(0) { $0 << 8 | Int($1) } + tailLength
        }
        private var isKept = true
        private var isEXIF = false
        private(set) var exif: [UInt8] = []
        private var hasPixels = false

        /// Passes on the next bytes, except those of chunks that are not needed.
        ///
        /// From the first chunk of pixels on, `take` gets the beginning of the EXIF data that came before; `nil` until then.
        mutating func pass<E: Error>(
            _ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer, _ exif: [UInt8]?) throws(E) -> Void
        ) throws(E) {
            var rest = bytes
            while let part = reader.next(of: &rest) {
                switch part {
                case .head(let head):
                    // The case of the first letter tells whether a chunk is needed.
                    isKept = head[4] & 0x20 == 0 || head[4...].elementsEqual(Self.transparency)
                    isEXIF = exif.isEmpty && head[4...].elementsEqual(Self.exifName)
                    hasPixels = hasPixels || head[4...].elementsEqual(Self.pixels)
                    if isKept { try head.lend { head throws(E) in try take(head, hasPixels ? exif : nil) } }
                case .content(let bytes):
                    if isKept { try take(bytes, hasPixels ? exif : nil) }
                    if isEXIF { exif += bytes.prefix(Orientation.searchedByteCount - exif.count) }
                }
            }
        }
    }

    /// The first bytes of a PNG: its signature and the chunk `IHDR`.
    struct Header: Hashable {
        /// The length without the check sum.
        static let byteCount = 29
        static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

        let size: PixelSize
        /// True if rows come in seven passes, so that none is complete before the last one.
        let isInterlaced: Bool

        init(parsing bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
            guard bytes.count >= Self.byteCount else {
                throw RenderFailure(.truncatedImage, "the PNG ends within its header")
            }
            guard bytes.starts(with: Self.signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
                throw RenderFailure(.notAnImage, "a PNG that does not begin with its header")
            }
            size = PixelSize(width: Self.number(bytes[16..<20]), height: Self.number(bytes[20..<24]))
            isInterlaced = bytes[28] != 0
            // The limits of libpng.
            let sides = 1...Int(Int32.max)
            guard sides.contains(size.width), sides.contains(size.height) else {
                throw RenderFailure(.notAnImage, "a PNG of \(size) pixels")
            }
        }

        private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
            bytes.reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
