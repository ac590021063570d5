// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Runs

/// The list of the gallery's pictures as JSON, for clients that are given one URL.
package struct GalleryManifest: Encodable, Sendable {
    package static let path = "/gallery/manifest.json"

    package static let mediaType = "application/json"

    /// One picture, with the keys of the trial's documents.
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

    /// The argument of `--asset` for the whole gallery.
    let name = AssetName.gallery.text
    let bytes: Int
    let pictures: [Picture]

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
