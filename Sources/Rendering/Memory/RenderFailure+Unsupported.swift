// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension RenderFailure {
    /// The failure of a picture that is one, but of a kind that nothing here decodes.
    ///
    /// - Parameter what: the kind with its article: "a GIF".
    static func unsupported(_ what: String) -> RenderFailure {
        RenderFailure(.unsupportedImage, "\(what), which no render model decodes")
    }
}
