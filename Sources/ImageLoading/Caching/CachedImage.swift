// SPDX-License-Identifier: Apache-2.0

package import Rendering
import Synchronization

/// The encoded bytes of an image, in memory or in a mapped file.
package struct EncodedImage: Sendable {
    package var bytes: EncodedBytes
    package var byteCount: Int
    /// The origin's validator for this version, or `nil` if it sent none.
    package var entityTag: String?
    /// The path of the file with the bytes if it is not shared, so that a file cache may move it.
    package var ownFile: String?
    /// True if the origin has just confirmed this version.
    package var isUnchanged = false

    package init(_ bytes: EncodedBytes, byteCount: Int, entityTag: String? = nil, ownFile: String? = nil) {
        self.bytes = bytes
        self.byteCount = byteCount
        self.entityTag = entityTag
        self.ownFile = ownFile
    }
}

/// A decoded image with its origin, so that a gallery cell can tell whether it is the right one.
package final class LoadedPicture: Sendable {
    package let url: String
    package let bitmap: Bitmap
    package let encodedByteCount: Int
    /// The SHA-256 of the encoded bytes in hexadecimal, if the loader's context requires it.
    package let sha256: String?
    package let entityTag: String?

    private let wasShown = Atomic(false)

    package init(
        url: String, bitmap: Bitmap, encodedByteCount: Int, sha256: String? = nil, entityTag: String? = nil
    ) {
        self.url = url
        self.bitmap = bitmap
        self.encodedByteCount = encodedByteCount
        self.sha256 = sha256
        self.entityTag = entityTag
    }

    /// Marks the picture as shown; returns true the first time.
    package func markShown() -> Bool {
        !wasShown.exchange(true, ordering: .relaxed)
    }
}

/// An image as passed to caches, of which each tier keeps its part.
package struct CachedImage: Sendable {
    package var encoded: EncodedImage?
    package var picture: LoadedPicture?

    package init(encoded: EncodedImage? = nil, picture: LoadedPicture? = nil) {
        self.encoded = encoded
        self.picture = picture
    }
}
