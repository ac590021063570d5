// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
import TrialKit

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
