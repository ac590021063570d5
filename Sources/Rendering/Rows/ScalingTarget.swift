// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// Rows that are scaled down one by one, so that of what is decoded one row alone is ever held.
final class ScalingTarget: RowTarget {
    private let one: Mapping
    private let bitmap: Bitmap
    // Holds what the pass sums up in.
    private let scaler: AreaScaler
    private var pass: AreaPass

    /// Takes rows of a picture of this size.
    ///
    /// - Throws: ``RenderFailure/Code/system`` where the one row cannot be mapped.
    init(_ source: PixelSize, into bitmap: Bitmap, _ scaler: AreaScaler) throws(RenderFailure) {
        one = try Mapping(byteCount: source.width * MemoryLayout<Pixel>.size)
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
