// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The bytes that a trial fetches, and where they come from.
package struct Asset: Codable, Hashable, Sendable {
    /// The name of a foreign URL's asset: it never holds a part of the URL, which may be a secret.
    package static let foreignName = "url"

    /// The word of `--asset` and of the column `asset`.
    package var name: String

    /// Where it is: a path on the embedded origin, or a foreign URL with its credentials redacted.
    package var location: String

    /// Whether ``location`` is a path on the embedded origin.
    package var isEmbedded: Bool

    /// Its size, or `nil` while a foreign asset was not fetched yet.
    package var byteCount: ByteCount?

    /// Its SHA-256 in hexadecimal, or `nil` while a foreign asset was not fetched yet.
    package var sha256: String?

    /// Its media type, where known.
    package var mediaType: String?

    /// Its pixels in a row, where it is an image of the embedded origin.
    package var width: Int?

    /// Its rows, likewise.
    package var height: Int?

    /// What a set consists of, or `nil` for an asset that one request fetches.
    ///
    /// ``byteCount`` of a set is that of its members together, and ``sha256`` that of their hashes.
    package var members: [Asset]?

    /// Creates an asset.
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
