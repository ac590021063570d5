// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension RenderFailure {
    /// Returns the failure of a valid picture of an unsupported kind, given with its article: "a GIF".
    static func unsupported(_ what: String) -> RenderFailure {
        RenderFailure(.unsupportedImage, "\(what), which no render model decodes")
    }
}
