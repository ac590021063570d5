// SPDX-License-Identifier: Apache-2.0

import CWebP
import FoundationEssentials
import TrialKit

/// A WebP that is decoded into a bitmap of the ordered size: the decoder scales as it goes.
final class WebPPicture {
    /// The configuration, at a stable address because an incremental decoder keeps a pointer to it.
    let configuration: UnsafeMutablePointer<WebPDecoderConfig>
    private let order: PictureOrder
    private let size: PixelSize
    private let bitmap: Bitmap
    private var chunks = WebPPieces.WebPChunks()
    private let orientation: Orientation?

    /// - Parameter orientation: The orientation, or `nil` if it is in chunks that arrive behind the picture: then it is
    ///   decoded large enough for both.
    init(_ header: WebPPieces.Header, _ order: PictureOrder, _ orientation: Orientation?) throws(RenderFailure) {
        try order.limits.check(header.size)
        guard !header.isAnimated else { throw .unsupported("an animated WebP") }
        self.order = order
        size = header.size
        self.orientation = orientation ?? (header.hasEXIF ? nil : .up)
        bitmap = try Bitmap(Self.decodedSize(of: size, order, self.orientation), ledger: order.ledger)
        configuration = .allocate(capacity: 1)
        configuration.initialize(to: try Self.defaultConfiguration())
        configuration.pointee.output = Self.output(bitmap)
        guard bitmap.size != size else { return }
        configuration.pointee.options.use_scaling = 1
        configuration.pointee.options.scaled_width = CInt(bitmap.size.width)
        configuration.pointee.options.scaled_height = CInt(bitmap.size.height)
    }

    deinit { configuration.deallocate() }

    /// The size to decode: the fitted one, or one that covers both where the orientation is not known.
    private static func decodedSize(
        of size: PixelSize, _ order: PictureOrder, _ orientation: Orientation?
    ) -> PixelSize {
        if let orientation { return order.fitted(size, orientation) }
        let (upright, turned) = (order.fitted(size, .up), order.fitted(size, .left))
        return PixelSize(
            width: max(upright.width, turned.width), height: max(upright.height, turned.height))
    }

    static func defaultConfiguration() throws(RenderFailure) -> WebPDecoderConfig {
        var configuration = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&configuration) != 0 else {
            throw RenderFailure(.system, "the library of WebP has another version than this program was made for")
        }
        return configuration
    }

    /// Throws ``RenderFailure/Code/overLimit`` before the decoder reaches data that needs too much memory.
    func check(next bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        chunks.note(bytes)
        // Packed pixels, with rows that the decoder keeps beside them.
        if chunks.isLossless {
            try order.limits.check(decoderBytes: size.pixelCount * 4, toDecode: "a lossless WebP")
        }
        if chunks.hasAlphaPlane {
            try order.limits.check(decoderBytes: size.pixelCount, toDecode: "the alpha of a WebP")
        }
    }

    /// Returns true if the status is that of a complete picture, false if bytes are missing; throws otherwise.
    static func isComplete(_ status: VP8StatusCode) throws(RenderFailure) -> Bool {
        switch status {
        case VP8_STATUS_OK: return true
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: return false
        case VP8_STATUS_OUT_OF_MEMORY: throw RenderFailure(.system, "the decoder of WebP finds no memory")
        case VP8_STATUS_UNSUPPORTED_FEATURE: throw .unsupported("a WebP with features of a later version")
        default: throw RenderFailure(.notAnImage, "a damaged WebP")
        }
    }

    /// Returns the complete picture, scaled once more if its orientation came last and asks for less.
    func decoded() throws(RenderFailure) -> DecodedPicture {
        let orientation = orientation ?? chunks.exif.lend { Orientation(exif: $0) } ?? .up
        let fitted = order.fitted(size, orientation)
        var decoded = DecodedPicture(bitmap: try order.scaled(bitmap, to: fitted), orientation: orientation)
        if decoded.bitmap.size != bitmap.size {
            decoded.note = "a WebP with its orientation at the end: it was decoded large enough for any"
        }
        if chunks.isLossless {
            decoded.note = "a lossless WebP, of which all pixels were held until it was complete"
        } else if chunks.hasAlphaPlane {
            decoded.note = "a WebP with a separate alpha plane, which was held whole"
        }
        return decoded
    }

    private static func output(_ bitmap: Bitmap) -> WebPDecBuffer {
        var output = WebPDecBuffer()
        output.colorspace = MODE_bgrA
        output.is_external_memory = 1
        bitmap.withPixels { pixels in
            output.u.RGBA.rgba = UnsafeMutableRawPointer(pixels.start).assumingMemoryBound(to: UInt8.self)
            output.u.RGBA.stride = CInt(pixels.pixelsPerRow * MemoryLayout<Pixel>.size)
            output.u.RGBA.size = pixels.pixelsPerRow * pixels.height * MemoryLayout<Pixel>.size
        }
        return output
    }
}

extension WebPPicture {
    static func decoded(
        _ bytes: UnsafeRawBufferPointer, _ order: PictureOrder, _ orientation: Orientation
    ) throws(RenderFailure) -> DecodedPicture {
        let picture = try WebPPicture(WebPPieces.Header(parsing: bytes), order, orientation)
        try picture.check(next: bytes)
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        guard try WebPPicture.isComplete(WebPDecode(start, bytes.count, picture.configuration)) else {
            throw RenderFailure(.truncatedImage, "the WebP ends before its picture does")
        }
        return try picture.decoded()
    }
}

/// A decoder for an arriving WebP.
///
/// The decoder holds the bytes it has not used yet: at least the first partition, of up to 512 KiB, and a lossless
/// picture as a whole.
final class WebPPieces: PieceDecoder {
    private let order: PictureOrder
    private var head = HeadCollector(byteCount: Header.byteCount)
    private var picture: WebPPicture?
    private var decoder: OpaquePointer?
    private var isComplete = false
    private var missing = 0

    init(_ order: PictureOrder) { self.order = order }

    deinit { WebPIDelete(decoder) }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        missing -= bytes.count
        let (head, rest) = self.head.take(bytes)
        try head?.lend { head throws(RenderFailure) in
            try start(Header(parsing: head))
            try feed(head)
        }
        try feed(rest)
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        // As if all bytes were there at once: the pixels may be complete before the file is.
        guard isComplete, missing <= 1, let picture else {
            throw RenderFailure(.truncatedImage, "the WebP ends before its picture does")
        }
        return try picture.decoded()
    }

    private func start(_ header: Header) throws(RenderFailure) {
        let picture = try WebPPicture(header, order, nil)
        missing += header.byteCount
        decoder = WebPIDecode(nil, 0, picture.configuration)
        guard decoder != nil else { throw RenderFailure(.system, "cannot start the decoder of WebP") }
        self.picture = picture
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard !bytes.isEmpty else { return }
        // Behind the picture, too: the orientation comes there.
        try picture?.check(next: bytes)
        guard !isComplete else { return }
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        isComplete = try WebPPicture.isComplete(WebPIAppend(decoder, start, bytes.count))
    }

    /// The first bytes of a WebP: the head of the container and the beginning of its first chunk.
    struct Header: Hashable {
        static let byteCount = 30

        let size: PixelSize
        let isAnimated: Bool
        /// True if EXIF data follows the picture, so that nobody knows before its end how it has to be turned.
        let hasEXIF: Bool
        /// The bytes of the whole file, of which a last one that fills up may be missing.
        let byteCount: Int

        init(parsing bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
            guard bytes.count >= Self.byteCount else {
                throw RenderFailure(.truncatedImage, "the WebP ends within its header")
            }
            func number(_ range: Range<Int>) -> Int { bytes[range].reversed().reduce(0) { $0 << 8 | Int($1) } }
            byteCount = number(4..<8) + 8
            switch String(decoding: bytes[12..<16], as: UTF8.self) {
            case "VP8 " where bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]):
                // The highest two bits of both sides are a display scale, which no decoder applies.
                size = PixelSize(width: number(26..<28) & 0x3FFF, height: number(28..<30) & 0x3FFF)
                (isAnimated, hasEXIF) = (false, false)
            case "VP8L" where bytes[20] == 0x2F:
                let sides = number(21..<25)
                size = PixelSize(width: sides & 0x3FFF + 1, height: sides >> 14 & 0x3FFF + 1)
                (isAnimated, hasEXIF) = (false, false)
            case "VP8X":
                size = PixelSize(width: number(24..<27) + 1, height: number(27..<30) + 1)
                (isAnimated, hasEXIF) = (bytes[20] & 0x02 != 0, bytes[20] & 0x08 != 0)
            default:
                throw RenderFailure(.notAnImage, "a WebP that does not begin with its header")
            }
            guard size.width > 0, size.height > 0 else { throw RenderFailure(.notAnImage, "a WebP of \(size) pixels") }
        }
    }

    /// A parser of the chunks of an arriving WebP, to know the decoder's memory needs in advance.
    struct WebPChunks {
        private static let containerLength = 12

        /// True if its picture is lossless, which is decoded through all its pixels.
        private(set) var isLossless = false
        private(set) var hasAlphaPlane = false
        private(set) var exif: [UInt8] = []
        private var isEXIF = false

        private var reader = ChunkReader(behind: containerLength) { head in
            let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
            // A chunk of an odd length is padded by a byte.
            return length + length % 2
        }

        mutating func note(_ bytes: UnsafeRawBufferPointer) {
            var rest = bytes
            while let part = reader.next(of: &rest) {
                guard case .head(let head) = part else {
                    if isEXIF, case .content(let content) = part {
                        exif += content.prefix(Orientation.searchedByteCount - exif.count)
                    }
                    continue
                }
                isEXIF = exif.isEmpty && head[..<4].elementsEqual("EXIF".utf8)
                isLossless = isLossless || head[..<4].elementsEqual("VP8L".utf8)
                hasAlphaPlane = hasAlphaPlane || head[..<4].elementsEqual("ALPH".utf8)
            }
        }
    }
}

/// A decoder for the planes of a lossy WebP as they are stored.
enum WebPPlanes {
    /// Returns the planes, or `nil` if the WebP is lossless or has alpha.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ order: PictureOrder) throws(RenderFailure) -> DecodedPlanes? {
        let header = try WebPPieces.Header(parsing: bytes)
        guard !header.isAnimated else { throw .unsupported("an animated WebP") }
        var chunks = WebPPieces.WebPChunks()
        chunks.note(bytes)
        guard !chunks.isLossless, !chunks.hasAlphaPlane else { return nil }
        let size = header.size
        try order.limits.check(size)
        let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        let luma = PlanarPicture.Shape(stride: size.width, height: size.height, columns: 1, rows: 1)
        let chroma = PlanarPicture.Shape(stride: half.width, height: half.height, columns: 2, rows: 2)
        let picture = try PlanarPicture(size, [luma, chroma, chroma], .video, ledger: order.ledger)
        var configuration = try WebPPicture.defaultConfiguration()
        configuration.output = output(picture)
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        guard try WebPPicture.isComplete(WebPDecode(start, bytes.count, &configuration)) else {
            throw RenderFailure(.truncatedImage, "the WebP ends before its picture does")
        }
        return DecodedPlanes(picture: picture)
    }

    private static func output(_ picture: PlanarPicture) -> WebPDecBuffer {
        var output = WebPDecBuffer()
        output.colorspace = MODE_YUV
        output.is_external_memory = 1
        let planes = picture.planes
        output.u.YUVA.y = planes[0].start
        output.u.YUVA.u = planes[1].start
        output.u.YUVA.v = planes[2].start
        output.u.YUVA.y_stride = CInt(planes[0].stride)
        output.u.YUVA.u_stride = CInt(planes[1].stride)
        output.u.YUVA.v_stride = CInt(planes[2].stride)
        output.u.YUVA.y_size = planes[0].mapping.bytes.count
        output.u.YUVA.u_size = planes[1].mapping.bytes.count
        output.u.YUVA.v_size = planes[2].mapping.bytes.count
        return output
    }
}
