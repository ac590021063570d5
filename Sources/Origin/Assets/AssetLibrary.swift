// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Glibc
package import Runs
import Synchronization

/// The deterministic assets, and the folder that caches those that are expensive to make.
///
/// Any number of processes may use one folder at the same time.
package struct AssetLibrary: Sendable {
    /// The folder of the encoded images and of the hashes, created when first needed.
    package let cacheDirectory: String

    let store: AssetFiles

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
    package func asset(named name: String, seed: UInt64 = 0) throws -> Asset {
        switch AssetName(parsing: name) {
        case .gallery: return try gallerySet()
        case .computed(let kind, let size):
            return try generated(ComputedBody(kind, checked: size.rawValue, seed: seed).body)
        case .image(let name):
            if let image = LibraryImage.named(name) { return try stored(image).asset }
        case .set(let names):
            return Asset(name, of: try names.map { try asset(named: $0.text, seed: seed) })
        case nil: break
        }
        throw FetchBenchError("no asset is named '\(name)'; try \(AssetName.choices.joined(separator: ", "))")
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

extension AssetLibrary {
    private struct HashRecord: Codable {
        var byteCount: Int
        var seed: UInt64
        var generatorVersion: Int
        var sha256: String
    }

    /// Returns the description of a generated body, whose hash is computed once and stored.
    func generated<Body: GeneratedBody>(_ body: Body) throws -> Asset {
        let size = ByteCount(body.byteCount)
        var asset = Asset(
            name: AssetName.computed(Body.kind, size).text, location: body.path, isEmbedded: true, byteCount: size,
            sha256: try hash(of: body), mediaType: Body.mediaType)
        asset.recordCount = (body as? GeneratedJSON)?.recordCount
        return asset
    }

    private func hash<Body: GeneratedBody>(of body: Body) throws -> String {
        let name = "\(Body.kind.segment)-\(body.byteCount)-\(body.seed).json"
        return try store.locked(name) {
            if let bytes = try store.contents(name),
                let record = try? JSONDecoder().decode(HashRecord.self, from: Data(bytes)),
                record.generatorVersion == Body.version, record.byteCount == body.byteCount,
                record.seed == body.seed
            {
                return record.sha256
            }
            let record = HashRecord(
                byteCount: body.byteCount, seed: body.seed, generatorVersion: Body.version,
                sha256: try body.sha256())
            try store.replace(name, withJSONOf: record)
            return record.sha256
        }
    }
}

extension AssetFiles {
    func replace(_ name: String, withJSONOf value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw FetchBenchError("cannot encode \(name): \(error)")
        }
        try replace(name, with: bytes)
    }
}

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
    package func stored(_ image: LibraryImage) throws -> StoredImage {
        let file = "\(image.name).\(image.frame.fileExtension)"
        return try store.locked(image.name) {
            if let stored = try verified(image, file) { return stored }
            let encoded = try factory.encode(image)
            let sidecar = try describe(encoded, as: image)
            // The image first: a sidecar without its image does not verify and is made again.
            try store.replace(file, with: encoded.bytes)
            try store.replace("\(image.name).json", withJSONOf: sidecar)
            guard let stored = try verified(image, file) else {
                throw FetchBenchError("\(store.path(file)) was changed by another process")
            }
            return stored
        }
    }

    /// Returns the pictures of the gallery in order, making those that are missing.
    package func gallery() throws -> [StoredImage] {
        let images = LibraryImage.gallery
        let results = Mutex<[Result<StoredImage, any Error>?]>(Array(repeating: nil, count: images.count))
        let next = Atomic(0)
        // Making one takes a core for about a second, and up to 100 MB.
        DispatchQueue.concurrentPerform(iterations: Self.makersAtOnce) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < images.count else { return }
                let result = Result { try stored(images[index]) }
                results.withLock { $0[index] = result }
            }
        }
        return try results.withLock { $0 }.compactMap { try $0?.get() }
    }

    private static let makersAtOnce = 4

    func gallerySet() throws -> Asset {
        let images = try gallery().map(\.asset)
        return Asset(AssetName.gallery.text, location: GalleryManifest.path, of: images, mediaType: "image/*")
    }

    private func verified(_ image: LibraryImage, _ name: String) throws -> StoredImage? {
        guard let bytes = try store.contents("\(image.name).json"),
            let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)),
            sidecar.generatorVersion == factory.generatorVersion,
            sidecar.encoderVersion == factory.encoderVersion(image.frame),
            ImageHeader(width: sidecar.width, height: sidecar.height, frame: sidecar.frame) == image.header,
            let file = try FileBytes(path: store.path(name)), file.byteCount == sidecar.byteCount,
            try file.sha256() == sidecar.sha256
        else { return nil }
        return StoredImage(image: image, sha256: sidecar.sha256, file: file)
    }

    /// Returns the sidecar of a new image; throws if it does not match the expected header and facts.
    private func describe(_ encoded: LibraryImage.Encoded, as image: LibraryImage) throws -> Sidecar {
        let header = try factory.header(encoded.bytes)
        guard header == image.header else {
            throw FetchBenchError("\(image.name) came out as \(header), not as \(image.header)")
        }
        if let facts = factory.facts(image), let complaint = facts.complaint(about: encoded, frame: image.frame) {
            throw FetchBenchError("\(image.name) \(complaint)")
        }
        return Sidecar(
            byteCount: encoded.bytes.count, sha256: try MemoryBytes(encoded.bytes).sha256(),
            width: header.width, height: header.height, frame: header.frame,
            generatorVersion: factory.generatorVersion, encoderVersion: factory.encoderVersion(image.frame))
    }
}
