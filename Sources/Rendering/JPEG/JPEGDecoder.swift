// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
package import TrialKit

/// The JPEG decoder of one image: header, limits, picture, in this order.
///
/// It is made anew for every image, so that nothing of its memory outlives the decoding.
package struct JPEGDecoder: ~Copyable {
    private let handle: tjhandle

    /// Starts the decoder.
    ///
    /// - Throws: ``RenderFailure/Code/system`` where it finds no memory.
    ///
    /// The corresponding C function is `tjInitDecompress`.
    package init() throws(RenderFailure) {
        guard let handle = tjInitDecompress() else {
            throw RenderFailure(.system, "cannot start the JPEG decoder")
        }
        self.handle = handle
    }

    deinit {
        tjDestroy(handle)
    }

    /// Reads the header and checks what it claims against the limits; nothing has been allocated for it by then.
    ///
    /// - Returns: The size of the picture.
    /// - Throws: ``RenderFailure/Code/notAnImage``, ``RenderFailure/Code/truncatedImage``,
    ///   ``RenderFailure/Code/unsupportedImage`` or ``RenderFailure/Code/overLimit``.
    ///
    /// The corresponding C function is `tjDecompressHeader3`.
    package func size(
        of bytes: UnsafeRawBufferPointer, limits: RenderSettings
    ) throws(RenderFailure) -> PixelSize {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else {
            throw RenderFailure(.notAnImage, "the body is empty")
        }
        try limits.check(encodedByteCount: bytes.count)
        // Zeros stay where they are when the bytes hold tables and no picture, which is no error to the library.
        var (width, height, subsampling, colorspace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        // A status of −1 beside a size is a warning, or sampling factors and colors that TurboJPEG has no word for:
        // whether libjpeg decodes those all the same, decoding tells.
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

    /// Decodes a picture at the smallest scale of eighths that covers what is asked for.
    ///
    /// - Throws: What is wrong with it.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ order: PictureOrder) throws(RenderFailure) -> Bitmap {
        let decoder = try JPEGDecoder()
        let size = try decoder.size(of: bytes, limits: order.limits)
        let bitmap = try Bitmap(size.smallestScaled(covering: order.fitted(size)), ledger: order.ledger)
        try decoder.decode(bytes, into: bitmap)
        return bitmap
    }

    /// Decodes the picture at the bitmap's size, which is the picture's own or one that it scales to by eighths.
    ///
    /// - Throws: ``RenderFailure/Code/truncatedImage``, ``RenderFailure/Code/overLimit``,
    ///   ``RenderFailure/Code/notAnImage`` or ``RenderFailure/Code/system``.
    ///
    /// The corresponding C function is `tjDecompress2`.
    package func decode(_ bytes: UnsafeRawBufferPointer, into bitmap: Bitmap) throws(RenderFailure) {
        let isComplete = bitmap.withPixels { pixels in
            let target = UnsafeMutableRawPointer(pixels.start).assumingMemoryBound(to: UInt8.self)
            let status = tjDecompress2(
                handle, bytes.bindMemory(to: UInt8.self).baseAddress, UInt(bytes.count), target,
                CInt(pixels.width), 0, CInt(pixels.height), CInt(TJPF_BGRA.rawValue), TJFLAG_LIMITSCANS)
            // Pages are zero until written and the decoder writes opaque pixels: the last one tells whether all
            // rows were, which a status of −1 does not.
            return status == 0 || pixels.row(pixels.height - 1)[pixels.width - 1].w == 255 && isWarningAlone(bytes)
        }
        guard isComplete else { throw failure(decoding: bytes) }
    }

    /// Whether the library complained of something that leaves a whole picture.
    ///
    /// Extraneous bytes, an odd Adobe marker or a damaged stretch are shown by every viewer and cost what an
    /// intact image costs, so they are decoded images here. A missing end is not: its rows were made up.
    private func isWarningAlone(_ bytes: UnsafeRawBufferPointer) -> Bool {
        tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue)
            && !JPEGComplaint(text: errorText, isWarning: true, bytes: bytes).isTruncation
    }

    /// What the library says went wrong.
    ///
    /// Read on the thread that decoded, where the library keeps it.
    private var errorText: String {
        tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given"
    }

    /// What the library's last complaint means.
    private func failure(decoding bytes: UnsafeRawBufferPointer) -> RenderFailure {
        let isWarning = tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue)
        return JPEGComplaint(text: errorText, isWarning: isWarning, bytes: bytes).failure
    }
}
