// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// What every decoding renderer has before the baseline: limits, a framebuffer, and a picture to warm up with.
struct RenderStage: Sendable {
    let settings: RenderSettings
    let ledger: BitmapLedger
    let framebuffer: Framebuffer
    private let tiny: [UInt8]

    init(_ settings: RenderSettings, ledger: BitmapLedger) throws(RenderFailure) {
        self.settings = settings
        self.ledger = ledger
        framebuffer = try Framebuffer(settings)
        tiny = try TinyJPEG.encode()
    }

    /// A picture of a few pixels, as a fetch would leave it in memory.
    var warmUpBody: FetchedBody {
        FetchedBody(content: .memory(tiny), byteCount: tiny.count)
    }
}
