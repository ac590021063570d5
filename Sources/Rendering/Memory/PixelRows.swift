// SPDX-License-Identifier: Apache-2.0

/// A pixel with its bytes in the order blue, green, red, alpha.
package typealias Pixel = SIMD4<UInt8>

/// The pixels of a bitmap or of a window of a framebuffer, borrowed from their pages.
package struct PixelRows {
    package let start: UnsafeMutablePointer<Pixel>
    package let width: Int
    package let height: Int
    /// The distance between rows, in pixels.
    package let pixelsPerRow: Int

    package func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
        start + index * pixelsPerRow
    }

    /// Returns the part of the given size in the middle.
    func centered(_ size: PixelSize) -> PixelRows {
        precondition(size.width <= width && size.height <= height, "a window larger than its buffer")
        let first = row((height - size.height) / 2) + (width - size.width) / 2
        return PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: pixelsPerRow)
    }
}
