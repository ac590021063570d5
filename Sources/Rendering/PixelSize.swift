// SPDX-License-Identifier: Apache-2.0

import TrialKit

package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    package var pixelCount: Int { width * height }

    package var turned: PixelSize { PixelSize(width: height, height: width) }

    package var description: String { "\(width)×\(height)" }

    package func covers(_ other: PixelSize) -> Bool {
        width >= other.width && height >= other.height
    }

    /// Returns the largest size of the same shape that fits into a view, rounded to whole pixels.
    ///
    /// A smaller picture keeps its size: the screen's scaler enlarges it, so an image view spends no memory on that.
    package func fitted(into view: PixelSize) -> PixelSize {
        if view.covers(self) { return self }
        if width * view.height >= height * view.width {
            return PixelSize(width: view.width, height: max(1, (height * view.width + width / 2) / width))
        }
        return PixelSize(width: max(1, (width * view.height + height / 2) / height), height: view.height)
    }

    /// Returns the size that a JPEG decoder yields at `eighths`/8 of the full one, rounded up (`TJSCALED`).
    package func scaled(eighths: Int) -> PixelSize {
        PixelSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
    }

    /// Returns the smallest size a JPEG decoder yields, in steps of an eighth, that covers another one.
    package func smallestScaled(covering other: PixelSize) -> PixelSize {
        scaled(eighths: eighths(covering: other))
    }

    /// Returns the eighths of that size: the most that yield it, as TurboJPEG chooses for small pictures.
    func eighths(covering other: PixelSize) -> Int {
        let fewest = (1...8).first { scaled(eighths: $0).covers(other) } ?? 8
        let size = scaled(eighths: fewest)
        return (fewest...8).last { scaled(eighths: $0) == size } ?? fewest
    }
}

/// A pixel with its bytes in the order blue, green, red, alpha.
package typealias Pixel = SIMD4<UInt8>

/// The pixels of a bitmap or of a window of a framebuffer, borrowed from their pages.
package struct PixelRows {
    package let start: UnsafeMutablePointer<Pixel>
    package let width: Int
    package let height: Int
    package let pixelsPerRow: Int

    package func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
        start + index * pixelsPerRow
    }

    func centered(_ size: PixelSize) -> PixelRows {
        precondition(size.width <= width && size.height <= height, "a window larger than its buffer")
        let first = row((height - size.height) / 2) + (width - size.width) / 2
        return PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: pixelsPerRow)
    }
}

extension RenderSettings {
    /// Throws ``RenderFailure/Code/overLimit`` for a picture with more than the permitted pixels.
    func check(_ size: PixelSize) throws(RenderFailure) {
        guard size.pixelCount <= maximumPixels else {
            throw RenderFailure(
                .overLimit, "\(size) is \(size.pixelCount) pixels, the limit is \(maximumPixels) (--max-pixels)")
        }
    }

    /// Throws ``RenderFailure/Code/overLimit`` if a body, or its received part, is too long.
    func check(encodedByteCount count: Int) throws(RenderFailure) {
        guard count <= maximumEncodedBytes else {
            throw RenderFailure(.overLimit, "\(count) encoded bytes, the limit is \(maximumEncodedBytes)")
        }
    }

    /// The most memory of a decoder besides the bitmap, in bytes.
    var decoderBytes: Int { maximumDecoderBytes ?? DecoderMemory.usualBytes }

    /// Throws ``RenderFailure/Code/overLimit`` for a picture that requires more memory than a decoder may use.
    func check(decoderBytes count: Int, toDecode what: String) throws(RenderFailure) {
        guard count <= decoderBytes else {
            throw RenderFailure(
                .overLimit,
                "\(what) needs \(count) bytes besides its bitmap; the limit is \(decoderBytes) (--max-decode-memory)")
        }
    }
}

extension RenderFailure {
    /// Returns the failure of a valid picture of an unsupported kind, given with its article: "a GIF".
    static func unsupported(_ what: String) -> RenderFailure {
        RenderFailure(.unsupportedImage, "\(what), which no render model decodes")
    }
}
