// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import CTurboJPEG
import CWebP
import CZlib
import Texts

/// The encoding of an image's pixels, named as in the gallery's manifest.
package enum ImageFrame: String, Codable, Sendable, CaseIterable {
    /// A JPEG with sequential scans, as written by cameras: decoded row by row.
    case baseline
    /// A JPEG with scans of rising detail: the decoder holds all coefficients until the last.
    case progressive
    case png
    /// A lossy WebP.
    case webp

    package var mediaType: String {
        switch self {
        case .baseline, .progressive: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        }
    }

    package var fileExtension: String {
        switch self {
        case .baseline, .progressive: "jpg"
        case .png: "png"
        case .webp: "webp"
        }
    }

    /// The name and version of the encoder.
    ///
    /// TurboJPEG does not report its version: this is the one of the recorded hashes.
    var encoderVersion: String {
        switch self {
        case .baseline, .progressive: "libjpeg-turbo 2.1.5"
        case .png: PNGEncoder.version
        case .webp: WebPEncoder.version
        }
    }

    /// The permitted deviation of the file's size from the recorded one, in thousandths.
    ///
    /// The size of a JPEG follows from its coefficients; zlib and libwebp search more or less well.
    var tolerance: Int {
        switch self {
        case .baseline, .progressive: 10
        case .png, .webp: 100
        }
    }
}

enum JPEGEncoder {
    /// Encodes planes as a JPEG with colour at half resolution (4:2:0), using `tjCompressFromYUVPlanes`.
    ///
    /// It uses the accurate transform, whose SIMD and C code agree to the bit.
    static func encode(_ planes: PicturePlanes, quality: Int, progressive: Bool) throws -> [UInt8] {
        guard let handle = tjInitCompress() else { throw FetchBenchError("cannot start the JPEG encoder") }
        defer { tjDestroy(handle) }
        let subsampling = CInt(TJSAMP_420.rawValue)
        let flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT | (progressive ? TJFLAG_PROGRESSIVE : 0)
        // The encoder requires room for the worst case; pages that stay unwritten cost nothing.
        let capacity = Int(tjBufSize(CInt(planes.width), CInt(planes.height), subsampling))
        var status: CInt = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var target = buffer.baseAddress
            var length = UInt(capacity)
            withPointers(to: planes) { pointers in
                status = tjCompressFromYUVPlanes(
                    handle, pointers, CInt(planes.width), nil, CInt(planes.height), subsampling,
                    &target, &length, CInt(quality), flags)
            }
            count = status == 0 ? Int(length) : 0
        }
        guard status == 0 else {
            let reason = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given"
            throw FetchBenchError("cannot encode a picture of \(planes.width)×\(planes.height): \(reason)")
        }
        return bytes
    }

    /// Lends the three planes as the list of pointers that the encoder takes.
    private static func withPointers(
        to planes: PicturePlanes, _ body: (UnsafeMutablePointer<UnsafePointer<UInt8>?>) -> Void
    ) {
        planes.luma.withUnsafeBufferPointer { luma in
            planes.blue.withUnsafeBufferPointer { blue in
                planes.red.withUnsafeBufferPointer { red in
                    var pointers = [luma.baseAddress, blue.baseAddress, red.baseAddress]
                    pointers.withUnsafeMutableBufferPointer { list in list.baseAddress.map(body) }
                }
            }
        }
    }
}

struct JPEGFrame {
    var width: Int
    var height: Int
    /// True if the scans refine one another (`SOF2`) instead of following one another (`SOF0`, `SOF1`).
    var isProgressive: Bool

    /// Finds the frame header before the first scan (ITU-T T.81, annex B); throws ``FetchBenchError/Code/image``.
    init(parsing bytes: [UInt8]) throws {
        guard bytes.starts(with: [0xFF, 0xD8]) else { throw FetchBenchError("not a JPEG") }
        var position = 2
        while position + 9 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            switch marker {
            case 0xC0, 0xC1, 0xC2:
                height = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
                width = Int(bytes[position + 7]) << 8 | Int(bytes[position + 8])
                isProgressive = marker == 0xC2
                return
            case 0xFF:
                // A segment may be preceded by padding bytes of this value.
                position += 1
            default:
                position += 2 + (Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
            }
        }
        throw FetchBenchError("the JPEG has no frame header in front of its first scan")
    }
}

enum PNGEncoder {
    /// The versions of the libraries, which determine the bytes but not the pixels.
    static var version: String {
        "libpng \(String(cString: cimage_png_version())), zlib \(String(cString: zlibVersion()))"
    }

    static func encode(_ pixels: PicturePixels) throws -> [UInt8] {
        var reason = [CChar](repeating: 0, count: Int(CIMAGE_PNG_REASON_SIZE))
        let capacity = cimage_png_capacity(UInt32(pixels.width), UInt32(pixels.height))
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = cimage_png_encode(
                pixels.bytes, UInt32(pixels.width), UInt32(pixels.height), buffer.baseAddress, capacity, &reason)
        }
        guard !bytes.isEmpty else {
            let words = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw FetchBenchError(
                "cannot encode a picture of \(pixels.width)×\(pixels.height): \(String(decoding: words, as: UTF8.self))"
            )
        }
        return bytes
    }
}

enum WebPEncoder {
    static var version: String {
        let version = WebPGetEncoderVersion()
        return "libwebp \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }

    /// Encodes pixels as a lossy WebP; throws ``FetchBenchError/Code/image`` without a reason, because libwebp gives none.
    static func encode(_ pixels: PicturePixels, quality: Int) throws -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let count = WebPEncodeRGB(
            pixels.bytes, CInt(pixels.width), CInt(pixels.height), CInt(pixels.width * 3), Float(quality), &output)
        defer { WebPFree(output) }
        guard count > 0, let output else {
            throw FetchBenchError("cannot encode a picture of \(pixels.width)×\(pixels.height) as WebP")
        }
        return Array(UnsafeBufferPointer(start: output, count: count))
    }
}
