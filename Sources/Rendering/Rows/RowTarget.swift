// SPDX-License-Identifier: Apache-2.0

import CImageCodecs

/// Where a decoder writes the rows of a picture, from the first to the last.
///
/// A decoder of an interlaced picture writes them several times; that needs a target which keeps all of them.
protocol RowTarget: AnyObject {
    /// Where a row is to be written to.
    func row(_ index: Int) -> UnsafeMutablePointer<Pixel>

    func finish(_ index: Int)
}

/// Hands a target to a decoder in C, and keeps it meanwhile.
final class RowContext {
    private let target: any RowTarget

    init(_ target: any RowTarget) {
        self.target = target
    }

    /// What the decoder calls; valid while this object lives.
    var rows: cimage_rows {
        cimage_rows(
            context: Unmanaged.passUnretained(self).toOpaque(),
            row: { context, index in
                guard let context else { preconditionFailure("rows without their target") }
                let target = Unmanaged<RowContext>.fromOpaque(context).takeUnretainedValue().target
                return UnsafeMutableRawPointer(target.row(index)).assumingMemoryBound(to: UInt8.self)
            },
            finish: { context, index in
                guard let context else { preconditionFailure("rows without their target") }
                Unmanaged<RowContext>.fromOpaque(context).takeUnretainedValue().target.finish(index)
            })
    }
}
