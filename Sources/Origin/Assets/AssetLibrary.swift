// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs

/// The deterministic assets, and the folder that caches those that are expensive to make.
///
/// Any number of processes may use one folder at the same time.
package struct AssetLibrary: Sendable {
    /// The folder of the encoded images and of the hashes, created when first needed.
    package let cacheDirectory: String

    let store: AssetFiles

    /// The image encoders, which tests replace.
    let factory: ImageFactory

    package init(cacheDirectory: String) {
        self.init(cacheDirectory: cacheDirectory, factory: .encoder)
    }

    package init(cacheDirectory: String, factory: ImageFactory) {
        self.cacheDirectory = cacheDirectory
        self.store = AssetFiles(directory: cacheDirectory)
        self.factory = factory
    }

    /// Returns the asset with this name: `hero`, `gallery-01`, a size such as `64MiB`, `text-64MiB` or `json-1MiB`.
    ///
    /// Blocks its thread. The first time, an image is encoded (seconds) and the SHA-256 of a size is computed (about a
    /// second for 1 GiB); later, the image's file is only verified by its hash and the size's hash is read. An image
    /// ignores the seed.
    ///
    /// - Throws: ``AssetError/Code/unknownAsset``, ``AssetError/Code/image``, and ``AssetError/Code/file`` if the
    ///   folder cannot be used.
    package func asset(named name: String, seed: UInt64 = 0) throws(AssetError) -> Asset {
        switch AssetName(parsing: name) {
        case .gallery: return try gallerySet()
        case .computed(let kind, let size):
            return try generated(ComputedBody(kind, checked: size.rawValue, seed: seed).body)
        case .image(let name):
            if let image = LibraryImage.named(name) { return try stored(image).asset }
        case nil: break
        }
        throw AssetError(
            .unknownAsset, "no asset is named '\(name)'; try \(AssetName.choices.joined(separator: ", "))")
    }

    /// Returns warnings for readers of figures about this asset.
    ///
    /// Another version of an encoder makes an image with another hash. It is served, but its figures are not comparable
    /// with those of the recorded bytes.
    package func warnings(about asset: Asset) -> [String] {
        if let members = asset.members { return members.flatMap { warnings(about: $0) } }
        guard let image = LibraryImage.named(asset.name), let facts = factory.facts(image), asset.sha256 != facts.sha256
        else { return [] }
        return [
            "\(asset.name) was encoded by \(factory.encoderVersion(image.frame)) and has another SHA-256 than the reference: "
                + "compare it only with runs that fetched \(asset.sha256?.prefix(12) ?? "")…"
        ]
    }
}
