// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Rendering
import TestSupport
import Testing
import TrialKit

/// What a decoder may cost at most, as a limit of a test: each case in a process of its own.
@Suite(.ownThreads) struct DecoderLimitTests {
    private static let size = PixelSize(width: 3000, height: 2000)
    private static let view = PixelSize(width: 1170, height: 1170)

    /// All pixels are 22.9 MiB, the thumbnail's 3.5; beside them the encoded bytes are held twice for a moment.
    @Test(.peakMemory(under: .mebibytes(16)), arguments: ["jpeg", "webp"])
    func aStreamedThumbnailNeedsNoWholeBitmap(kind: String) throws {
        let bytes = try Pillow.make(kind, Self.size)
        let consumer = PictureConsumer(fitting: Self.view, limits: RenderSettings(), ledger: BitmapLedger())
        bytes.withUnsafeBytes { all in
            for start in stride(from: 0, to: all.count, by: 16_384) {
                consumer.take(UnsafeRawBufferPointer(rebasing: all[start..<min(start + 16_384, all.count)]))
            }
        }
        #expect(try consumer.finish().size == PixelSize(width: 1170, height: 780))
    }
}
