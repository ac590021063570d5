// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A decoded picture in its own pages: BGRA, 8 bits per channel, premultiplied by alpha.
package final class Bitmap: Sendable {
    package let size: PixelSize
    private let pixelsPerRow: Int
    private let mapping: AnonymousMapping
    private let ledger: BitmapLedger

    /// Maps a bitmap, whose pages become resident as they are written; the caller checks the size first.
    ///
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - rowAlignment: The alignment of rows in bytes; by default, there is no padding between rows.
    ///   - ledger: The ledger that counts the bytes.
    package init(
        _ size: PixelSize, rowAlignment: Int = MemoryLayout<Pixel>.size, ledger: BitmapLedger
    ) throws(RenderFailure) {
        self.size = size
        self.ledger = ledger
        let pixels = rowAlignment / MemoryLayout<Pixel>.size
        pixelsPerRow = (size.width + pixels - 1) / pixels * pixels
        mapping = try AnonymousMapping(byteCount: pixelsPerRow * size.height * MemoryLayout<Pixel>.size)
        ledger.add(mapping.bytes.count)
    }

    deinit {
        ledger.remove(mapping.bytes.count)
    }

    /// The mapped bytes, in whole pages.
    package var byteCount: Int {
        mapping.bytes.count
    }

    package func withPixels<R, E: Error>(_ body: (PixelRows) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        let start = mapping.bytes.bindMemory(to: Pixel.self)
        guard let first = start.baseAddress else { preconditionFailure("a mapping without an address") }
        return try body(
            PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: pixelsPerRow))
    }

    func copyPixels(to copy: Bitmap) {
        precondition(copy.size == size, "a copy of another size")
        withPixels { source in
            copy.withPixels { target in
                for row in 0..<size.height { target.row(row).update(from: source.row(row), count: size.width) }
            }
        }
    }
}
