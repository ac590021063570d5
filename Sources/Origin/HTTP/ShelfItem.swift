// SPDX-License-Identifier: Apache-2.0

/// An item that takes long to make.
package enum ShelfItem: Hashable, Sendable {
    case image(LibraryImage)
    /// The manifest of the gallery, which needs all of its pictures.
    case manifest
}
