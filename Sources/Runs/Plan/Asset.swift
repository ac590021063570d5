// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The bytes that a trial fetches, and their source.
package struct Asset: Codable, Hashable, Sendable {
    /// The asset name of every foreign URL: no part of the URL, which may be a secret.
    package static let foreignName = "url"

    /// The value of `--asset` and of the column `asset`.
    package var name: String
    /// A path on the embedded origin, or a foreign URL with its credentials redacted.
    package var location: String
    package var isEmbedded: Bool
    /// The size, or `nil` before a foreign asset was fetched.
    package var byteCount: ByteCount?
    /// The SHA-256 in hexadecimal, or `nil` before a foreign asset was fetched.
    package var sha256: String?
    package var mediaType: String?
    /// The width in pixels of an image of the embedded origin.
    package var width: Int?
    package var height: Int?
    /// The number of records of a JSON document of the embedded origin.
    package var recordCount: Int?

    /// The assets of a set, or `nil` for an asset that one request fetches.
    ///
    /// The ``byteCount`` of a set is the sum of its members', its ``sha256`` the hash of their hashes.
    package var members: [Asset]?

    package init(
        name: String, location: String, isEmbedded: Bool, byteCount: ByteCount? = nil, sha256: String? = nil,
        mediaType: String? = nil
    ) {
        self.name = name
        self.location = location
        self.isEmbedded = isEmbedded
        self.byteCount = byteCount
        self.sha256 = sha256
        self.mediaType = mediaType
    }

    /// The scheme of a foreign asset's URL, in lower case; `nil` on the embedded origin.
    var scheme: String? {
        guard !isEmbedded, let colon = location.firstIndex(of: ":") else { return nil }
        return location[..<colon].lowercased()
    }

    private enum CodingKeys: String, CodingKey {
        case name, location, sha256, width, height, members
        case isEmbedded = "embedded"
        case byteCount = "bytes"
        case mediaType = "media_type"
    }
}
