// SPDX-License-Identifier: Apache-2.0

import CWebP
import TrialKit

/// A decoder for the planes of a lossy WebP as they are stored.
enum WebPPlanes {
    /// Returns the planes, or `nil` if the WebP is lossless or has alpha.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ order: PictureOrder) throws(RenderFailure) -> PlanarPicture? {
        let header = try WebPHeader(parsing: bytes)
        guard !header.isAnimated else { throw .unsupported("an animated WebP") }
        var chunks = WebPChunks()
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
        return picture
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
