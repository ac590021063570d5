// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Runs

/// Which pictures the gallery has, in JSON, for clients that are told one URL.
package struct GalleryManifest: Encodable, Sendable {
    /// Where the origin serves it.
    package static let path = "/gallery/manifest.json"

    package static let mediaType = "application/json"

    /// One picture, in the words that the trial's documents use.
    struct Picture: Encodable, Sendable {
        var name: String
        var path: String
        var mediaType: String
        var bytes: Int
        var sha256: String
        var width: Int
        var height: Int
        var frame: ImageFrame

        private enum CodingKeys: String, CodingKey {
            case name, path, bytes, sha256, width, height, frame
            case mediaType = "media_type"
        }
    }

    /// The word of `--asset` for all of them.
    let name = AssetName.gallery.text
    /// The size of all of them together.
    let bytes: Int
    let pictures: [Picture]

    /// Describes pictures as they are, whichever encoder made them.
    package init(_ images: [StoredImage]) {
        pictures = images.map { image in
            Picture(
                name: image.image.name, path: image.image.path, mediaType: image.image.frame.mediaType,
                bytes: image.file.byteCount, sha256: image.sha256, width: image.image.width,
                height: image.image.height, frame: image.image.frame)
        }
        bytes = pictures.reduce(0) { $0 + $1.bytes }
    }

    package func json() throws(AssetError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        } catch {
            throw AssetError(.file, "cannot encode the gallery's manifest: \(error)")
        }
    }
}
