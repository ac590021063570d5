// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A scaler that averages the area that each target pixel covers.
///
/// Every row of the source is read once, in order. Arithmetic is exact: a source pixel across a border counts on both
/// sides in proportion, and only the final division rounds.
///
/// Unchecked, because a renderer is used from one task at a time.
package final class AreaScaler: @unchecked Sendable {
    /// One sum per column, allocated and touched before the baseline, so that scaling allocates nothing.
    private let sums: AnonymousMapping
    private let maximumWidth: Int

    package init(maximumWidth: Int) throws(RenderFailure) {
        self.maximumWidth = maximumWidth
        sums = try AnonymousMapping(byteCount: maximumWidth * MemoryLayout<SIMD4<UInt64>>.stride)
        sums.touch()
    }

    /// Scales a picture into pixels of at most its size.
    package func scale(_ source: PixelRows, into target: PixelRows) {
        var pass = pass(from: PixelSize(width: source.width, height: source.height), into: target)
        for row in 0..<source.height { pass.add(source.row(row)) }
    }

    /// Begins to scale a picture row by row; only one pass may be active.
    package func pass(from source: PixelSize, into target: PixelRows) -> AreaPass {
        precondition(target.width <= source.width && target.height <= source.height, "scaling never enlarges")
        precondition(target.width <= maximumWidth, "a target wider than the sums")
        let sums = self.sums.bytes.bindMemory(to: SIMD4<UInt64>.self)
        for column in 0..<target.width { sums[column] = .zero }
        return AreaPass(sums: sums, source: source, target: target)
    }
}

package struct AreaPass {
    fileprivate let sums: UnsafeMutableBufferPointer<SIMD4<UInt64>>
    fileprivate let source: PixelSize
    fileprivate let target: PixelRows
    private var sourceRow = 0
    private var targetRow = 0

    fileprivate init(sums: UnsafeMutableBufferPointer<SIMD4<UInt64>>, source: PixelSize, target: PixelRows) {
        (self.sums, self.source, self.target) = (sums, source, target)
    }

    /// Adds the next row of the source.
    ///
    /// A source row is `target.height` units high and a target row `source.height` units.
    package mutating func add(_ pixels: UnsafeMutablePointer<Pixel>) {
        sourceRow += 1
        let end = sourceRow * target.height
        let border = (targetRow + 1) * source.height
        if end < border {
            add(pixels, source.width, to: sums, target.width, weight: target.height)
        } else {
            let rest = end - border
            add(pixels, source.width, to: sums, target.width, weight: target.height - rest)
            emit(sums, to: target, row: targetRow, area: source.width * source.height)
            add(pixels, source.width, to: sums, target.width, weight: rest)
            targetRow += 1
        }
    }

    /// Adds a source row to the sums of the target's columns.
    ///
    /// A source pixel is `columns` units wide and a column `width` units; a row's sum is at most 255 × 65535.
    private func add(
        _ pixels: UnsafeMutablePointer<Pixel>, _ width: Int,
        to sums: UnsafeMutableBufferPointer<SIMD4<UInt64>>, _ columns: Int, weight: Int
    ) {
        guard weight > 0 else { return }
        let pixelUnits = UInt32(columns)
        let columnUnits = UInt32(width)
        let rowWeight = SIMD4<UInt64>(repeating: UInt64(weight))
        var pixel = pixels
        var left = pixelUnits
        for column in 0..<columns {
            var sum = widened(pixel.pointee) &* SIMD4(repeating: left)
            var missing = columnUnits - left
            pixel += 1
            var whole = SIMD4<UInt32>.zero
            while missing >= pixelUnits {
                whole &+= widened(pixel.pointee)
                missing -= pixelUnits
                pixel += 1
            }
            sum &+= whole &* SIMD4(repeating: pixelUnits)
            if missing > 0 { sum &+= widened(pixel.pointee) &* SIMD4(repeating: missing) }
            left = pixelUnits - missing
            sums[column] &+= SIMD4<UInt64>(truncatingIfNeeded: sum) &* rowWeight
        }
    }

    /// Writes a target row as the rounded averages, and clears the sums.
    private func emit(
        _ sums: UnsafeMutableBufferPointer<SIMD4<UInt64>>, to target: PixelRows, row: Int, area: Int
    ) {
        let pixels = target.row(row)
        let divisor = UInt64(area)
        for column in 0..<target.width {
            let sum = sums[column] &+ SIMD4(repeating: divisor / 2)
            pixels[column] = Pixel(
                UInt8(truncatingIfNeeded: sum.x / divisor), UInt8(truncatingIfNeeded: sum.y / divisor),
                UInt8(truncatingIfNeeded: sum.z / divisor), UInt8(truncatingIfNeeded: sum.w / divisor))
            sums[column] = .zero
        }
    }

    /// A pixel's channels, widened for sums.
    @inline(__always)
    private func widened(_ pixel: Pixel) -> SIMD4<UInt32> {
        SIMD4<UInt32>(truncatingIfNeeded: pixel)
    }
}

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
