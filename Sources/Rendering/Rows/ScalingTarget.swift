// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A target that scales rows down one by one, holding only one decoded row.
final class ScalingTarget: RowTarget {
    private let one: AnonymousMapping
    private let bitmap: Bitmap
    // Retained for the sums that the pass uses.
    private let scaler: AreaScaler
    private var pass: AreaPass

    init(_ source: PixelSize, into bitmap: Bitmap, _ scaler: AreaScaler) throws(RenderFailure) {
        one = try AnonymousMapping(byteCount: source.width * MemoryLayout<Pixel>.size)
        self.bitmap = bitmap
        self.scaler = scaler
        pass = bitmap.withPixels { scaler.pass(from: source, into: $0) }
    }

    func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
        guard let first = one.bytes.bindMemory(to: Pixel.self).baseAddress else {
            preconditionFailure("a mapping without an address")
        }
        return first
    }

    func finish(_ index: Int) {
        pass.add(row(index))
    }
}
