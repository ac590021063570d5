// SPDX-License-Identifier: Apache-2.0

/// The size of a picture or of a view, in pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var pixelCount: Int {
        width * height
    }

    /// The size with width and height in each other's place.
    package var turned: PixelSize { PixelSize(width: height, height: width) }

    package var description: String {
        "\(width)×\(height)"
    }

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
