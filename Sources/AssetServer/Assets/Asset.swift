// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The bytes that are fetched: what they are, how many, and where the origin serves them.
package struct Asset: Codable, Hashable, Sendable {
    /// The word of `--asset` and the column `asset`: `hero`, `gallery`, `64MiB`, `text-64MiB`.
    package var name: String

    /// The path and the query on the origin, from the first slash on.
    package var path: String

    /// The size of the body in bytes; of a set, that of all of its members together.
    package var byteCount: ByteCount

    /// What the origin's `Content-Type` says.
    package var mediaType: String

    /// The SHA-256 of the body, in 64 lower-case hexadecimal digits; of a set, that of its members' hashes in their order.
    package var sha256: String

    /// The width in pixels, or `nil` for what is no image.
    package var imageWidth: Int?

    /// The height in pixels, or `nil` for what is no image.
    package var imageHeight: Int?

    /// The assets of a set, or `nil` for one that is fetched by one request.
    package var members: [Asset]?

    package init(
        name: String, path: String, byteCount: ByteCount, mediaType: String, sha256: String,
        imageWidth: Int? = nil, imageHeight: Int? = nil
    ) {
        self.name = name
        self.path = path
        self.byteCount = byteCount
        self.mediaType = mediaType
        self.sha256 = sha256
        self.imageWidth = imageWidth
        self.imageHeight = imageHeight
    }
}
