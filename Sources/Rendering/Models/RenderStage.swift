// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// The state of a decoding renderer before the baseline: limits, a framebuffer, and pictures to warm up with.
struct RenderStage: Sendable {
    let settings: RenderSettings
    let ledger: BitmapLedger
    let framebuffer: Framebuffer
    /// Tiny pictures, one of each format.
    let warmUpPictures: [[UInt8]]

    init(_ settings: RenderSettings, ledger: BitmapLedger) throws(RenderFailure) {
        self.settings = settings
        self.ledger = ledger
        framebuffer = try Framebuffer(settings)
        warmUpPictures = [try TinyJPEG.encode(), WarmUpPicture.png, WarmUpPicture.webP]
    }

    /// The pictures to warm up with, as a fetch would leave them in memory.
    var warmUpBodies: [FetchedBody] {
        warmUpPictures.map { FetchedBody(content: .memory($0), byteCount: $0.count) }
    }

    var wholePicture: PictureOrder {
        PictureOrder(view: nil, limits: settings, ledger: ledger)
    }

    /// An order of the view's pixels, to be decoded while nothing is drawn.
    var viewsPixels: PictureOrder {
        PictureOrder(view: framebuffer.size, limits: settings, ledger: ledger, scaler: framebuffer.scaler)
    }

    /// An order of the view's pixels, to be decoded while other pictures may be drawn.
    var arrivingPixels: PictureOrder {
        PictureOrder(view: framebuffer.size, limits: settings, ledger: ledger)
    }
}
