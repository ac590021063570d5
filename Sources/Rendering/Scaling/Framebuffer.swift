// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The simulated screen, resident before the baseline so that drawing costs no memory.
///
/// Unchecked, because a renderer is used from one task at a time.
package final class Framebuffer: @unchecked Sendable {
    /// The longest side of a view, so that a mistyped one gets a clear error.
    private static let maximumSide = 65_535

    package let size: PixelSize

    private let mapping: AnonymousMapping
    /// The scaler for drawing, also usable for decoding before the drawing.
    let scaler: AreaScaler

    /// Maps and touches the pixels of a view with sides of 1 to 65535 pixels.
    package init(_ settings: RenderSettings) throws(RenderFailure) {
        size = PixelSize(width: settings.viewWidth, height: settings.viewHeight)
        let sides = 1...Self.maximumSide
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw RenderFailure(.system, "a view has sides of 1 to \(Self.maximumSide) pixels, not \(size)")
        }
        mapping = try AnonymousMapping(byteCount: size.pixelCount * MemoryLayout<Pixel>.size)
        mapping.touch()
        // A picture that is to be turned is scaled as it lies.
        scaler = try AreaScaler(maximumWidth: max(size.width, size.height))
    }

    /// Draws a picture in the middle of the view, scaled down to fit, on black.
    ///
    /// Every row of the picture is read: an unread picture would not count as rendered.
    package func draw(_ picture: Bitmap) {
        clear()
        picture.withPixels { source in
            withPixels { view in
                scaler.scale(source, into: view.centered(picture.size.fitted(into: size)))
            }
        }
    }

    /// Draws a picture in the same way from rows that `row` returns one by one.
    func drawRows(of size: PixelSize, _ row: (Int) -> UnsafeMutablePointer<Pixel>) {
        clear()
        withPixels { view in
            var pass = scaler.pass(from: size, into: view.centered(size.fitted(into: self.size)))
            for index in 0..<size.height { pass.add(row(index)) }
        }
    }

    package func withPixels<R>(_ body: (PixelRows) -> R) -> R {
        defer { withExtendedLifetime(self) {} }
        let pixels = mapping.bytes.bindMemory(to: Pixel.self)
        guard let first = pixels.baseAddress else { preconditionFailure("a mapping without an address") }
        return body(PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: size.width))
    }

    /// Makes the whole view black and opaque, so that nothing of the previous picture remains.
    private func clear() {
        let black = Pixel(0, 0, 0, 255)
        mapping.bytes.bindMemory(to: Pixel.self).update(repeating: black)
    }
}
