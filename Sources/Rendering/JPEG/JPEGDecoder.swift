// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
package import TrialKit

/// A decoder for a single image, so that none of its memory outlives the decoding.
package struct JPEGDecoder: ~Copyable {
    private let handle: tjhandle

    package init() throws(RenderFailure) {
        guard let handle = tjInitDecompress() else {
            throw RenderFailure(.system, "cannot start the JPEG decoder")
        }
        self.handle = handle
    }

    deinit {
        tjDestroy(handle)
    }

    /// Returns the picture's size after checking it against the limits, before anything is allocated for it.
    package func size(
        of bytes: UnsafeRawBufferPointer, limits: RenderSettings
    ) throws(RenderFailure) -> PixelSize {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else {
            throw RenderFailure(.notAnImage, "the body is empty")
        }
        try limits.check(encodedByteCount: bytes.count)
        // Zeros remain if the bytes hold tables and no picture, which the library does not treat as an error.
        var (width, height, subsampling, colorspace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        // A status of −1 with a size is a warning, or sampling factors and colors that TurboJPEG cannot express:
        // decoding shows whether libjpeg supports those.
        let status = tjDecompressHeader3(
            handle, start, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
        let size = PixelSize(width: Int(width), height: Int(height))
        guard size.width > 0, size.height > 0 else {
            throw status == 0 ? RenderFailure(.notAnImage, "a JPEG without a picture") : failure(decoding: bytes)
        }
        try limits.check(size)
        guard colorspace != CInt(TJCS_CMYK.rawValue), colorspace != CInt(TJCS_YCCK.rawValue) else {
            throw JPEGComplaint.ofInk
        }
        return size
    }

    /// Decodes a picture at the smallest scale of eighths that covers the order.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ order: PictureOrder, _ orientation: Orientation
    ) throws(RenderFailure) -> Bitmap {
        let decoder = try JPEGDecoder()
        let size = try decoder.size(of: bytes, limits: order.limits)
        let bitmap = try Bitmap(size.smallestScaled(covering: order.fitted(size, orientation)), ledger: order.ledger)
        try decoder.decode(bytes, into: bitmap)
        return bitmap
    }

    /// Decodes the picture at the bitmap's size, which is the picture's own or scaled by eighths.
    package func decode(_ bytes: UnsafeRawBufferPointer, into bitmap: Bitmap) throws(RenderFailure) {
        let isComplete = bitmap.withPixels { pixels in
            let target = UnsafeMutableRawPointer(pixels.start).assumingMemoryBound(to: UInt8.self)
            let status = tjDecompress2(
                handle, bytes.bindMemory(to: UInt8.self).baseAddress, UInt(bytes.count), target,
                CInt(pixels.width), 0, CInt(pixels.height), CInt(TJPF_BGRA.rawValue), TJFLAG_LIMITSCANS)
            // Pages are zero until written and the decoder writes opaque pixels, so the last pixel shows whether all
            // rows were written; a status of −1 does not.
            return status == 0 || pixels.row(pixels.height - 1)[pixels.width - 1].w == 255 && isWarningAlone(bytes)
        }
        guard isComplete else { throw failure(decoding: bytes) }
    }

    /// True if the library's complaint leaves a whole picture.
    ///
    /// Every viewer shows extraneous bytes, an odd Adobe marker or a damaged stretch, at the cost of an intact image,
    /// so they count as decoded. An image without its end does not: its last rows are made up.
    private func isWarningAlone(_ bytes: UnsafeRawBufferPointer) -> Bool {
        tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue)
            && !JPEGComplaint(text: errorText, isWarning: true, bytes: bytes).isTruncation
    }

    /// The library's message, which is kept per thread.
    private var errorText: String {
        tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given"
    }

    private func failure(decoding bytes: UnsafeRawBufferPointer) -> RenderFailure {
        let isWarning = tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue)
        return JPEGComplaint(text: errorText, isWarning: isWarning, bytes: bytes).failure
    }
}
