// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A decoded picture: BGRA, 8 bits a channel, the colors multiplied by alpha, in pages of its own.
package final class Bitmap: Sendable {
    package let size: PixelSize
    private let pixelsPerRow: Int
    private let mapping: Mapping
    private let ledger: BitmapLedger

    /// Maps a bitmap; its pages become resident as they are written.
    ///
    /// The caller checks the size against its limits first.
    ///
    /// - Parameter rowAlignment: What the bytes of a row are a multiple of; there is nothing between rows without it.
    /// - Throws: ``RenderFailure/Code/system`` where the kernel refuses the mapping.
    package init(
        _ size: PixelSize, rowAlignment: Int = MemoryLayout<Pixel>.size, ledger: BitmapLedger
    ) throws(RenderFailure) {
        self.size = size
        self.ledger = ledger
        let pixels = rowAlignment / MemoryLayout<Pixel>.size
        pixelsPerRow = (size.width + pixels - 1) / pixels * pixels
        mapping = try Mapping(byteCount: pixelsPerRow * size.height * MemoryLayout<Pixel>.size)
        ledger.add(mapping.bytes.count)
    }

    deinit {
        ledger.remove(mapping.bytes.count)
    }

    /// The bytes of the pages that this bitmap maps.
    package var byteCount: Int {
        mapping.bytes.count
    }

    /// Lends the pixels for the duration of a call.
    package func withPixels<R, E: Error>(_ body: (PixelRows) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        let start = mapping.bytes.bindMemory(to: Pixel.self)
        guard let first = start.baseAddress else { preconditionFailure("a mapping without an address") }
        return try body(
            PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: pixelsPerRow))
    }
}
