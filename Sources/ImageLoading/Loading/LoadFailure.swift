// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The reason why a picture cannot be shown.
package enum LoadFailure: Error, Hashable, Sendable {
    case cancelled
    case fetch(FetchFailure)
    /// The bytes cannot be decoded: the cell shows its fallback.
    case render(RenderFailure)
}
