// SPDX-License-Identifier: Apache-2.0

import CImageCodecs

/// The destination of a decoder's rows, from the first to the last.
///
/// A decoder of an interlaced picture writes rows several times, which requires a target that keeps all of them.
protocol RowTarget: AnyObject {
    func row(_ index: Int) -> UnsafeMutablePointer<Pixel>

    func finish(_ index: Int)
}

/// A context that passes a target to a C decoder and retains it.
final class RowContext {
    private let target: any RowTarget

    init(_ target: any RowTarget) {
        self.target = target
    }

    /// The callbacks of the decoder, valid while this object lives.
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
