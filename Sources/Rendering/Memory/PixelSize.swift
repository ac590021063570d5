// SPDX-License-Identifier: Apache-2.0

/// The size of a picture or of a view, in pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels in a row.
    package var width: Int
    /// Rows.
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var pixelCount: Int {
        width * height
    }

    package var description: String {
        "\(width)×\(height)"
    }

    /// Whether both sides are at least as long as another size's.
    package func covers(_ other: PixelSize) -> Bool {
        width >= other.width && height >= other.height
    }

    /// The largest size of the same shape that fits into a view, rounded to whole pixels.
    ///
    /// A picture that fits as it is keeps its size: enlarging it would cost memory that no image view spends,
    /// because the screen's scaler does it.
    package func fitted(into view: PixelSize) -> PixelSize {
        if view.covers(self) { return self }
        if width * view.height >= height * view.width {
            return PixelSize(width: view.width, height: max(1, (height * view.width + width / 2) / width))
        }
        return PixelSize(width: max(1, (width * view.height + height / 2) / height), height: view.height)
    }

    /// The size that a JPEG decoder yields at `eighths`/8 of the full one, whose fractions it rounds up.
    ///
    /// The corresponding C macro is `TJSCALED`.
    package func scaled(eighths: Int) -> PixelSize {
        PixelSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
    }

    /// The smallest size a JPEG decoder yields, in steps of an eighth, that still covers another one.
    package func smallestScaled(covering other: PixelSize) -> PixelSize {
        scaled(eighths: eighths(covering: other))
    }

    /// How many eighths yield that size; of several, as there are of a small picture, the most, as TurboJPEG takes them.
    func eighths(covering other: PixelSize) -> Int {
        let fewest = (1...8).first { scaled(eighths: $0).covers(other) } ?? 8
        let size = scaled(eighths: fewest)
        return (fewest...8).last { scaled(eighths: $0) == size } ?? fewest
    }
}
