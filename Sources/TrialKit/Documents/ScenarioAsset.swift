// SPDX-License-Identifier: Apache-2.0

/// One asset of a set.
public struct ScenarioAsset: Codable, Hashable, Sendable {
    /// Its name in the set.
    public var name: String
    /// Its URL.
    public var url: String
    /// Its media type.
    public var mediaType: String
    /// Its size in bytes.
    public var byteCount: Int
    /// Its SHA-256 in hexadecimal.
    public var sha256: String
    /// Its width in pixels; `nil` if it is not a picture.
    public var width: Int?
    /// Its height in pixels; `nil` if it is not a picture.
    public var height: Int?

    /// Creates an asset of a set.
    public init(
        name: String, url: String, mediaType: String, byteCount: Int, sha256: String, width: Int? = nil,
        height: Int? = nil
    ) {
        self.name = name
        self.url = url
        self.mediaType = mediaType
        self.byteCount = byteCount
        self.sha256 = sha256
        self.width = width
        self.height = height
    }

    private enum CodingKeys: String, CodingKey {
        case name, url, sha256, width, height
        case mediaType = "media_type"
        case byteCount = "bytes"
    }
}
