// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

/// An image of the library: its description and its verified, open file.
package struct StoredHero: Sendable {
    /// What the image is.
    package var asset: Asset
    /// Its bytes.
    package var file: FileBytes
}

extension AssetLibrary {
    /// What is known about an image's file, kept beside it.
    struct Sidecar: Codable, Hashable {
        var byteCount: Int
        var sha256: String
        var width: Int
        var height: Int
        var isProgressive: Bool
        var generatorVersion: Int
        var encoderVersion: String
    }

    /// The image, whose file is made when there is none and made again when it is not what it should be.
    package func hero(_ variant: HeroImage.Variant) throws(AssetError) -> StoredHero {
        let name = variant.assetName
        return try store.locked(name) { () throws(AssetError) in
            if let stored = try verified(variant) { return stored }
            let bytes = try factory.encode(variant)
            let sidecar = try describe(bytes, as: variant)
            // The image first: a sidecar without its image does not verify and is made again.
            try store.replace("\(name).jpg", with: bytes)
            try store.replace("\(name).json", withJSONOf: sidecar)
            guard let stored = try verified(variant) else {
                throw AssetError(.file, "\(store.path(name)).jpg is not what was written a moment ago")
            }
            return stored
        }
    }

    /// The image in the folder, or `nil` unless its file has the size and the hash that the sidecar says.
    private func verified(_ variant: HeroImage.Variant) throws(AssetError) -> StoredHero? {
        let name = variant.assetName
        guard let bytes = try store.contents("\(name).json"),
            let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)),
            sidecar.generatorVersion == factory.generatorVersion, sidecar.encoderVersion == factory.encoderVersion,
            let file = try FileBytes(path: store.path("\(name).jpg")), file.byteCount == sidecar.byteCount,
            try Digest.sha256(of: file) == sidecar.sha256
        else { return nil }
        let asset = Asset(
            name: name, path: variant.path, byteCount: ByteCount(file.byteCount), mediaType: "image/jpeg",
            sha256: sidecar.sha256, imageWidth: sidecar.width, imageHeight: sidecar.height)
        return StoredHero(asset: asset, file: file)
    }

    /// What the sidecar says; bytes that are not the image that was asked for throw.
    private func describe(_ bytes: [UInt8], as variant: HeroImage.Variant) throws(AssetError) -> Sidecar {
        let image = try factory.describe(bytes)
        guard image.width == HeroImage.width, image.height == HeroImage.height,
            image.isProgressive == (variant == .progressive)
        else {
            throw AssetError(
                .image,
                "\(variant.assetName) came out as \(image.width)x\(image.height), "
                    + "\(image.isProgressive ? "progressive" : "baseline")")
        }
        return Sidecar(
            byteCount: bytes.count, sha256: try Digest.sha256(of: MemoryBytes(bytes)), width: image.width,
            height: image.height, isProgressive: image.isProgressive, generatorVersion: factory.generatorVersion,
            encoderVersion: factory.encoderVersion)
    }
}
