// SPDX-License-Identifier: Apache-2.0

package import Rendering

/// What a picture is kept under: where it came from, and for which view it was decoded.
package struct ImageKey: Hashable, Sendable {
    package var url: String
    /// The view, in pixels; `nil` for a picture of its own size.
    package var view: PixelSize?

    package init(url: String, view: PixelSize? = nil) {
        self.url = url
        self.view = view
    }

    /// The key of the encoded bytes, of which there is one for all views.
    package var ofOriginal: ImageKey { ImageKey(url: url) }
}
