// SPDX-License-Identifier: Apache-2.0

package import Rendering
package import TrialKit

package struct LoaderWorld: Sendable {
    /// The existing folder for files, which contains the file cache's folder.
    package var folder: String
    package var limits: RenderSettings
    package var ledger: BitmapLedger
    /// The machine to which relative limits refer.
    package var machine: LoaderMachine
    /// The maximum of bytes in the file cache, or `nil` for no limit.
    package var fileLimit: Int?
    /// True if pictures are also verified by bytes and pixels, which costs a hash for each decode.
    package var checksContent = false
    package var now: @Sendable () -> Duration

    /// Creates a context whose screen is the view of the render settings.
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
