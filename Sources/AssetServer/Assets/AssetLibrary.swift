// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The deterministic assets, and the folder in which what is costly to make is kept.
///
/// Any number of processes may use one folder at the same time.
package struct AssetLibrary: Sendable {
    /// The largest size that is an asset.
    package static let largestSize = ByteCount(GeneratedBytes.maximumByteCount)

    /// The assets that have a name; every size from `0B` to `1TiB` and every `text-SIZE` is an asset too.
    package static let names = HeroImage.Variant.allCases.map(\.assetName)

    /// The folder of the encoded images and of the hashes, made when it is needed first.
    package let cacheDirectory: String

    /// The folder's files.
    let store: FileStore

    /// How an image is made; a value, so that a test need not wait for the real one.
    let factory: HeroFactory

    /// Creates a library that keeps its files in this folder.
    package init(cacheDirectory: String) {
        self.init(cacheDirectory: cacheDirectory, factory: .encoder)
    }

    /// Creates a library that makes its images in another way.
    package init(cacheDirectory: String, factory: HeroFactory) {
        self.cacheDirectory = cacheDirectory
        self.store = FileStore(directory: cacheDirectory)
        self.factory = factory
    }

    /// The asset of this name: `hero`, `hero-progressive`, a size such as `64MiB` or a text such as `text-64MiB`.
    ///
    /// Blocks its thread. The first time, an image is encoded (seconds) and the SHA-256 of a size is computed (about a second for
    /// 1 GiB); later, the image's file is only verified by its hash and the size's hash is read.
    ///
    /// - Parameters:
    ///   - name: The name, or the size as people write it.
    ///   - seed: What the bytes of a size are derived from; an image has no seed.
    /// - Throws: ``AssetError/Code/unknownAsset``, ``AssetError/Code/tooLarge``, ``AssetError/Code/image``, and
    ///   ``AssetError/Code/file`` where the folder cannot be used.
    package func asset(named name: String, seed: UInt64 = 0) throws(AssetError) -> Asset {
        if let variant = HeroImage.Variant.allCases.first(where: { $0.assetName == name }) {
            return try hero(variant).asset
        }
        guard let size = Self.size(of: name) else {
            let known = Self.names.joined(separator: ", ")
            throw AssetError(
                .unknownAsset, "no asset is named '\(name)'; try \(known), a size such as 64MiB or text-64MiB")
        }
        if Self.isText(name) {
            return try generated(
                try GeneratedText(byteCount: size.rawValue, seed: seed), prefix: Self.textPrefix)
        }
        return try generated(try GeneratedBytes(byteCount: size.rawValue, seed: seed))
    }

    /// What a reader of figures about this asset has to know; empty where all is as expected.
    ///
    /// An image has another hash than the expected one where another version of the encoder made it: it is
    /// served all the same, but figures of two such images are not those of the same bytes.
    package func warnings(about asset: Asset) -> [String] {
        guard let variant = HeroImage.Variant.allCases.first(where: { $0.assetName == asset.name }),
            asset.sha256 != factory.expectedSHA256(variant)
        else { return [] }
        return [
            "\(asset.name) was encoded by \(factory.encoderVersion) and has another SHA-256 than the reference: "
                + "compare it only with runs that fetched \(asset.sha256.prefix(12))…"
        ]
    }
}
