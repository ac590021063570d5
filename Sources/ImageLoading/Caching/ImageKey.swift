// SPDX-License-Identifier: Apache-2.0

package import Rendering

/// The key of a picture: its URL, and the view it was decoded for.
package struct ImageKey: Hashable, Sendable {
    package var url: String
    /// The view in pixels, or `nil` for the picture's own size.
    package var view: PixelSize?

    package init(url: String, view: PixelSize? = nil) {
        self.url = url
        self.view = view
    }

    /// The key of the encoded bytes, shared by all views.
    package var ofOriginal: ImageKey { ImageKey(url: url) }
}
