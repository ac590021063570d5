// SPDX-License-Identifier: Apache-2.0

/// A target that keeps rows as they are decoded.
final class BitmapTarget: RowTarget {
    private let bitmap: Bitmap

    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
    }

    func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
        bitmap.withPixels { $0.row(index) }
    }

    func finish(_ index: Int) {}
}
