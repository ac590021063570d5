// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// Why a picture cannot be shown.
package enum LoadFailure: Error, Hashable, Sendable {
    /// Who asked does not want it any more.
    case cancelled
    /// Its bytes cannot be had.
    case fetch(FetchFailure)
    /// Its bytes cannot be decoded: the cell shows its fallback.
    case render(RenderFailure)
}
