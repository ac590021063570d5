// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hashing
import Origin
import Runs
import Testing

@Suite struct LibraryImageTests {
    @Test(arguments: [LibraryImage.hero, .heroProgressive])
    func everyMachineMakesTheSameHero(image: LibraryImage) throws {
        let encoded = try image.encode()
        #expect(encoded.facts == ImageFacts.recorded[image.name])
        #expect(try ImageHeader(parsing: encoded.bytes) == image.header)
        if image == .hero {
            #expect((12_969_000...13_231_000).contains(encoded.bytes.count), "13.1 MB within 1 %")
        }
    }

    /// The recorded sizes and hashes are those of libjpeg-turbo 2.1.5, libpng 1.6.39 with zlib 1.2.13 and libwebp 1.2.4.
    ///
    /// Other versions may write other bytes of the same pixels; a picture whose pixels or whose size is beyond that
    /// is refused when it is made.
    @Test(.timeLimit(.minutes(5)))
    func everyMachineMakesTheSameGallery() async throws {
        let gallery = try RealGallery()
        #expect(gallery.images.map(\.image) == LibraryImage.gallery)
        for stored in gallery.images {
            let facts = try #require(ImageFacts.recorded[stored.image.name])
            #expect(stored.file.byteCount == facts.byteCount && stored.asset.sha256 == facts.sha256)
            #expect(gallery.library.warnings(about: stored.asset).isEmpty)
        }
        #expect(Set(gallery.images.map(\.asset.sha256)).count == gallery.images.count)
        try await readIndependently(gallery)
        let modified = try gallery.modified()
        #expect(try gallery.library.gallery().map(\.asset) == gallery.images.map(\.asset))
        #expect(try gallery.modified() == modified, "what is in the folder is not made again")
    }

    /// Lets a program that knows nothing of this one fetch the manifest and all that it names.
    private func readIndependently(_ gallery: RealGallery) async throws {
        let origin = try await OriginServer.start(OriginConfiguration(rate: .unlimited, library: gallery.library))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "read-gallery.py")
        let status = try await Curl.tool("python3", [script.path, origin.baseURL])
        try await origin.stop()
        #expect(status == 0)
    }

    @Test func theGalleryHasAllKinds() throws {
        let gallery = LibraryImage.gallery
        let facts = gallery.compactMap { ImageFacts.recorded[$0.name] }
        #expect(gallery.count >= 24 && facts.count == gallery.count)
        #expect(Set(facts.map(\.pixelsSHA256)).count == gallery.count)
        #expect(Set(gallery.map(\.frame)) == Set(ImageFrame.allCases))
        #expect(gallery.contains { $0.width == $0.height } && gallery.contains { $0.width >= 3 * $0.height })
        #expect(gallery.filter { $0.height > $0.width }.count >= 8)
        #expect(gallery.filter { $0.width > $0.height }.count >= 8)
        let sizes = facts.map(\.byteCount)
        #expect((50_000..<100_000).contains(try #require(sizes.min())))
        #expect((12_969_000...13_231_000).contains(try #require(sizes.max())))
        #expect(sizes.reduce(0, +) < 80_000_000)
    }

    @Test(
        arguments: [
            [], [0xFF, 0xD8], Array("not a picture at all".utf8),
            // A scan without a frame in front of it.
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            // A frame header that ends before its width.
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 16],
            // A PNG that ends in its header, and a WebP that is not of the simple kind.
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 1],
            Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8X".utf8) + [UInt8](repeating: 0, count: 20),
            Array("RIFF".utf8),
        ] as [[UInt8]])
    func bytesWithoutFrameAreRefused(bytes: [UInt8]) {
        let error = #expect(throws: AssetError.self) { try ImageHeader(parsing: bytes) }
        #expect(error?.code == .image)
    }
}

extension LibraryImage.Encoded {
    /// What would be recorded of it: a failure shows the row that the list needs.
    fileprivate var facts: ImageFacts {
        ImageFacts(bytes.count, SHA256.hexadecimal(of: bytes), pixels: pixelsSHA256)
    }
}

/// The pictures as they are, made in a folder of their own.
private final class RealGallery: Sendable {
    let library: AssetLibrary
    let images: [StoredImage]
    private let directory: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("gallery-\(UUID().uuidString)").path
        library = AssetLibrary(cacheDirectory: directory)
        images = try library.gallery()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// When each file was written.
    func modified() throws -> [Date?] {
        try images.map { stored in
            let name = "\(directory)/\(stored.image.name).\(stored.image.frame.fileExtension)"
            return try FileManager.default.attributesOfItem(atPath: name)[.modificationDate] as? Date
        }
    }
}
