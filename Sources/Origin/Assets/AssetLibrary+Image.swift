// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import MemProbe
package import Runs
import Synchronization

/// An image of the library with its verified, open file.
package struct StoredImage: Sendable {
    package var image: LibraryImage
    package var sha256: String
    package var file: FileBytes

    package var asset: Asset {
        var asset = Asset(
            name: image.name, location: image.path, isEmbedded: true, byteCount: ByteCount(file.byteCount),
            sha256: sha256, mediaType: image.frame.mediaType)
        (asset.width, asset.height) = (image.width, image.height)
        return asset
    }
}

extension AssetLibrary {
    /// The facts about an image's file that are stored beside it.
    struct Sidecar: Codable, Hashable {
        var byteCount: Int
        var sha256: String
        var width: Int
        var height: Int
        var frame: ImageFrame
        var generatorVersion: Int
        var encoderVersion: String
    }

    /// Returns the image, whose file is made if it is missing or invalid.
    ///
    /// - Throws: ``AssetError/Code/image`` if the made file does not match the recorded facts.
    package func stored(_ image: LibraryImage) throws(AssetError) -> StoredImage {
        let file = "\(image.name).\(image.frame.fileExtension)"
        return try store.locked(image.name) { () throws(AssetError) in
            if let stored = try verified(image, file) { return stored }
            let encoded = try factory.encode(image)
            let sidecar = try describe(encoded, as: image)
            // The image first: a sidecar without its image does not verify and is made again.
            try store.replace(file, with: encoded.bytes)
            try store.replace("\(image.name).json", withJSONOf: sidecar)
            guard let stored = try verified(image, file) else {
                throw AssetError(.file, "\(store.path(file)) was changed by another process")
            }
            return stored
        }
    }

    /// Returns the pictures of the gallery in order, making those that are missing.
    package func gallery() throws(AssetError) -> [StoredImage] {
        let images = LibraryImage.gallery
        let results = Mutex<[Result<StoredImage, AssetError>?]>(Array(repeating: nil, count: images.count))
        let next = Atomic(0)
        // Making one takes a core for about a second, and up to 100 MB.
        DispatchQueue.concurrentPerform(iterations: Self.makersAtOnce) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < images.count else { return }
                let result: Result<StoredImage, AssetError>
                do throws(AssetError) {
                    result = .success(try stored(images[index]))
                } catch {
                    result = .failure(error)
                }
                results.withLock { $0[index] = result }
            }
        }
        var found: [StoredImage] = []
        for result in results.withLock({ $0 }) { if let result { found.append(try result.get()) } }
        return found
    }

    /// The number of pictures made at the same time.
    private static let makersAtOnce = 4

    /// Returns the gallery as one asset, whose hash covers its members' hashes.
    func gallerySet() throws(AssetError) -> Asset {
        let images = try gallery()
        let hashes = images.map(\.sha256).joined()
        var set = Asset(
            name: AssetName.gallery.text, location: GalleryManifest.path, isEmbedded: true,
            byteCount: ByteCount(images.reduce(0) { $0 + $1.file.byteCount }),
            sha256: try Digest.sha256(of: MemoryBytes(Array(hashes.utf8))), mediaType: "image/*")
        set.members = images.map(\.asset)
        return set
    }

    /// Returns the stored image, or `nil` if its file does not match the sidecar.
    private func verified(_ image: LibraryImage, _ name: String) throws(AssetError) -> StoredImage? {
        guard let bytes = try store.contents("\(image.name).json"),
            let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)),
            sidecar.generatorVersion == factory.generatorVersion,
            sidecar.encoderVersion == factory.encoderVersion(image.frame),
            ImageHeader(width: sidecar.width, height: sidecar.height, frame: sidecar.frame) == image.header,
            let file = try FileBytes(path: store.path(name)), file.byteCount == sidecar.byteCount,
            try Digest.sha256(of: file) == sidecar.sha256
        else { return nil }
        return StoredImage(image: image, sha256: sidecar.sha256, file: file)
    }

    /// Returns the sidecar of a new image; throws if it does not match the expected header and facts.
    private func describe(_ encoded: LibraryImage.Encoded, as image: LibraryImage) throws(AssetError) -> Sidecar {
        let header = try factory.header(encoded.bytes)
        guard header == image.header else {
            throw AssetError(.image, "\(image.name) came out as \(header), not as \(image.header)")
        }
        if let facts = factory.facts(image), let complaint = facts.complaint(about: encoded, frame: image.frame) {
            throw AssetError(.image, "\(image.name) \(complaint)")
        }
        return Sidecar(
            byteCount: encoded.bytes.count, sha256: try Digest.sha256(of: MemoryBytes(encoded.bytes)),
            width: header.width, height: header.height, frame: header.frame,
            generatorVersion: factory.generatorVersion, encoderVersion: factory.encoderVersion(image.frame))
    }
}
