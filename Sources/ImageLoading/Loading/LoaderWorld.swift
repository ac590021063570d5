// SPDX-License-Identifier: Apache-2.0

package import Rendering
package import TrialKit

package struct LoaderWorld: Sendable {
    /// The folder for files, which exists; the file cache is a folder of it.
    package var folder: String
    package var limits: RenderSettings
    /// Where bitmaps are booked.
    package var ledger: BitmapLedger
    /// What limits are about that depend on the machine.
    package var machine: LoaderMachine
    /// The most bytes of the file cache, or `nil` for no limit.
    package var fileLimit: Int?
    /// Whether each picture is to be known by its bytes and its pixels, beside its URL; costs a hash for each decode.
    package var checksContent = false
    /// The clock of lifetimes.
    package var now: @Sendable () -> Duration

    /// Creates a world whose screen is the view of the render settings.
    package init(
        folder: String, limits: RenderSettings = RenderSettings(), ledger: BitmapLedger = .process,
        fileLimit: Int? = nil, now: @escaping @Sendable () -> Duration = { .zero }
    ) {
        self.folder = folder
        self.limits = limits
        self.ledger = ledger
        self.fileLimit = fileLimit
        self.now = now
        machine = LoaderMachine(screenByteCount: 4 * limits.viewWidth * limits.viewHeight)
    }
}
