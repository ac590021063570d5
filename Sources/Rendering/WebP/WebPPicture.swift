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
    private var chunks = WebPChunks()
    /// The orientation; `nil` until the end of an arriving picture.
    private let orientation: Orientation?

    /// - Parameter orientation: The orientation, or `nil` if it is in chunks that arrive behind the picture: then it is
    ///   decoded large enough for both.
    init(_ header: WebPHeader, _ order: PictureOrder, _ orientation: Orientation?) throws(RenderFailure) {
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

    deinit {
        configuration.deallocate()
    }

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

    /// The bitmap as the decoder's output, premultiplied by alpha.
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
