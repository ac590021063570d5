// SPDX-License-Identifier: Apache-2.0

package import Rendering
import Synchronization

/// An encoded image: the bytes that an origin sent, in memory or in a file that is mapped.
package struct EncodedImage: Sendable {
    package var bytes: EncodedBytes
    package var byteCount: Int
    /// The origin's name for this version of them, to ask with whether it still holds; `nil` where it gave none.
    package var entityTag: String?
    /// The path of the file that they are in and that belongs to nobody else, so that a file cache may move it.
    package var ownFile: String?
    /// Whether the origin has just said that this version still holds.
    package var isUnchanged = false

    package init(_ bytes: EncodedBytes, byteCount: Int, entityTag: String? = nil, ownFile: String? = nil) {
        self.bytes = bytes
        self.byteCount = byteCount
        self.entityTag = entityTag
        self.ownFile = ownFile
    }
}

/// A decoded image, which never lets go of where it came from: a cell that shows it can tell whether it is its own.
package final class LoadedPicture: Sendable {
    package let url: String
    /// The pixels.
    package let bitmap: Bitmap
    /// How many encoded bytes it was decoded from.
    package let encodedByteCount: Int
    /// The SHA-256 of those in hexadecimal, where the loader's world wants it checked.
    package let sha256: String?
    /// The origin's name for the version that it was decoded from; `nil` where it gave none.
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

    /// Notes that it is shown.
    /// - Returns: Whether it is so for the first time.
    package func markShown() -> Bool {
        !wasShown.exchange(true, ordering: .relaxed)
    }
}

/// An image as caches are handed it: each tier keeps of it what it is for.
package struct CachedImage: Sendable {
    /// The encoded bytes, which a file cache keeps.
    package var encoded: EncodedImage?
    /// The decoded picture, which a memory cache keeps.
    package var picture: LoadedPicture?

    package init(encoded: EncodedImage? = nil, picture: LoadedPicture? = nil) {
        self.encoded = encoded
        self.picture = picture
    }
}
