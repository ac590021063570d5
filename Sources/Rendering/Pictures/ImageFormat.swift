// SPDX-License-Identifier: Apache-2.0

import TrialKit

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

    /// Recognizes the first ``byteCount`` bytes, or all if there are fewer.
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
        Mark(.png, (0, PNGHeader.signature)),
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

    /// The formats in ISO media containers, by brand.
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
