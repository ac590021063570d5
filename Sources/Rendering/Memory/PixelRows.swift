// SPDX-License-Identifier: Apache-2.0

/// One pixel, its bytes in the order blue, green, red, alpha.
package typealias Pixel = SIMD4<UInt8>

/// The pixels of a bitmap, or of a window of a framebuffer, borrowed from the pages that hold them.
package struct PixelRows {
    /// The first pixel of the first row.
    package let start: UnsafeMutablePointer<Pixel>
    /// How many pixels a row shows.
    package let width: Int
    package let height: Int
    /// From one row to the next, in pixels.
    package let pixelsPerRow: Int

    /// The first pixel of a row.
    package func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
        start + index * pixelsPerRow
    }

    /// The part of these pixels that has the given size and lies in their middle.
    func centered(_ size: PixelSize) -> PixelRows {
        precondition(size.width <= width && size.height <= height, "a window larger than what it looks at")
        let first = row((height - size.height) / 2) + (width - size.width) / 2
        return PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: pixelsPerRow)
    }
}
