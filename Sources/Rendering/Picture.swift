// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The decoder of all known formats: JPEG, PNG and WebP.
package enum Picture {
    /// Returns the size in a picture's header, as it is stored, before anything is allocated for the picture.
    package static func size(
        of bytes: UnsafeRawBufferPointer, limits: RenderSettings
    ) throws(RenderFailure) -> PixelSize {
        switch try format(of: bytes, limits: limits) {
        case .jpeg: return try JPEGDecoder(bytes, limits: limits).size
        case .png: return try checked(PNGPieces.Header(parsing: bytes).size, limits)
        case .webP:
            let header = try WebPPieces.Header(parsing: bytes)
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
                case .webP: try WebPPicture.decoded(bytes, order, orientation)
                default: try JPEGDecoder.decode(bytes, order, orientation)
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

extension Picture {
    /// Decodes a picture to planes of luma and chroma as they are stored.
    ///
    /// Returns `nil` if it stores no such planes: a PNG, a WebP that is lossless or has alpha, a JPEG of other colors
    /// or of samples for parts of pixels.
    package static func planes(
        of encoded: EncodedBytes, limits: RenderSettings, ledger: BitmapLedger
    ) throws(RenderFailure) -> PlanarPicture? {
        try planes(of: encoded, PictureOrder(view: nil, limits: limits, ledger: ledger))?.picture
    }

    static func planes(
        of encoded: EncodedBytes, _ order: PictureOrder
    ) throws(RenderFailure) -> DecodedPlanes? {
        try encoded.withBytes { bytes throws(RenderFailure) in
            _ = try size(of: bytes, limits: order.limits)
            switch ImageFormat(of: bytes) {
            case .jpeg: return try JPEGDecoder(bytes, limits: order.limits).planes(ledger: order.ledger)
            case .webP: return try WebPPlanes.decode(bytes, order)
            default: return nil
            }
        }
    }
}

/// The format of a picture, recognized by its first bytes.
enum ImageFormat: Hashable, Sendable {
    case jpeg
    case png
    case webP
    /// A picture that no render model decodes, with its article: "a GIF".
    case unsupported(String)
    case unknown

    /// The number of bytes that distinguish all formats.
    static let byteCount = 16

    init(of bytes: UnsafeRawBufferPointer) {
        self = Self.marks.first { $0.isAt(bytes) }?.format ?? Self.container(of: bytes) ?? .unknown
    }

    private struct Mark {
        let format: ImageFormat
        let parts: [(offset: Int, bytes: [UInt8])]

        init(_ format: ImageFormat, _ parts: (Int, [UInt8])...) {
            self.format = format
            self.parts = parts.map { (offset: $0.0, bytes: $0.1) }
        }

        func isAt(_ bytes: UnsafeRawBufferPointer) -> Bool {
            parts.allSatisfy { bytes.dropFirst($0.offset).starts(with: $0.bytes) }
        }
    }

    private static let marks: [Mark] = [
        Mark(.jpeg, (0, [0xFF, 0xD8])),
        Mark(.png, (0, PNGPieces.Header.signature)),
        Mark(.webP, (0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))),
        Mark(.unsupported("a GIF"), (0, Array("GIF87a".utf8))),
        Mark(.unsupported("a GIF"), (0, Array("GIF89a".utf8))),
        Mark(.unsupported("a TIFF"), (0, [0x49, 0x49, 0x2A, 0x00])),
        Mark(.unsupported("a TIFF"), (0, [0x4D, 0x4D, 0x00, 0x2A])),
        // After the file size follow two numbers that are zero.
        Mark(.unsupported("a BMP"), (0, Array("BM".utf8)), (6, [0, 0, 0, 0])),
        Mark(.unsupported("an icon"), (0, [0x00, 0x00, 0x01, 0x00])),
        Mark(.unsupported("a JPEG XL"), (0, [0xFF, 0x0A])),
        Mark(.unsupported("a JPEG XL"), (4, Array("JXL \r\n".utf8))),
        Mark(.unsupported("a JPEG 2000"), (4, Array("jP  \r\n".utf8))),
        Mark(.unsupported("a PSD"), (0, Array("8BPS".utf8))),
        Mark(.unsupported("an SVG"), (0, Array("<svg".utf8))),
    ]

    private static let brands: [String: ImageFormat] = [
        "avif": .unsupported("an AVIF"), "avis": .unsupported("an AVIF"),
        "heic": .unsupported("an HEIF"), "heix": .unsupported("an HEIF"), "heim": .unsupported("an HEIF"),
        "heis": .unsupported("an HEIF"), "hevc": .unsupported("an HEIF"), "hevx": .unsupported("an HEIF"),
        "mif1": .unsupported("an HEIF"), "msf1": .unsupported("an HEIF"),
    ]

    private static func container(of bytes: UnsafeRawBufferPointer) -> ImageFormat? {
        guard bytes.dropFirst(4).starts(with: "ftyp".utf8) else { return nil }
        return brands[String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self)]
    }
}

extension Orientation {
    /// Returns the orientation of a complete picture; ``up`` if it notes none, or none that there is.
    package static func of(_ picture: UnsafeRawBufferPointer) -> Orientation {
        let exif: UnsafeRawBufferPointer? =
            switch ImageFormat(of: picture) {
            case .jpeg: jpegEXIF(picture)
            case .png: pngEXIF(picture)
            case .webP: webPEXIF(picture)
            case .unsupported, .unknown: nil
            }
        return exif.flatMap(Orientation.init(exif:)) ?? .up
    }

    /// The segments of a JPEG before its first scan.
    private static func jpegEXIF(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            // Bytes to fill up, of which there may be any number.
            guard marker != 0xFF else {
                place += 1
                continue
            }
            guard marker != 0xDA else { return nil }
            let length = Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
            let content = bytes.dropFirst(place + 4).prefix(max(0, length - 2))
            if marker == 0xE1, content.starts(with: Array("Exif\0\0".utf8)) {
                return UnsafeRawBufferPointer(rebasing: content)
            }
            place += 2 + length
        }
        return nil
    }

    private static func pngEXIF(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        chunk("eXIf", in: bytes, from: PNGPieces.Header.signature.count) { head in
            // The length comes first, and a check sum follows the content.
            (name: head[4...], length: head[..<4].reduce(0) { $0 << 8 | Int($1) }, tail: 4)
        }
    }

    private static func webPEXIF(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        chunk("EXIF", in: bytes, from: 12) { head in
            let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
            return (name: head[..<4], length: length, tail: length % 2)
        }
    }

    private static func chunk(
        _ name: String, in bytes: UnsafeRawBufferPointer, from start: Int,
        _ read: ([UInt8]) -> (name: ArraySlice<UInt8>, length: Int, tail: Int)
    ) -> UnsafeRawBufferPointer? {
        var place = start
        while place + 8 <= bytes.count {
            let head = read(Array(bytes[place..<place + 8]))
            let content = bytes.dropFirst(place + 8).prefix(head.length)
            if head.name.elementsEqual(name.utf8) { return UnsafeRawBufferPointer(rebasing: content) }
            place += 8 + head.length + head.tail
        }
        return nil
    }
}
