// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hashing
import Origin
import Runs
import Testing

struct AssetLibraryTests {
    private let folder = TestLibrary()

    @Test func describesGeneratedBytesWhoseHashIsComputedOnce() throws {
        let asset = try folder.library().asset(named: "1024KiB", seed: 7)
        #expect(asset.name == "1MiB")
        #expect(asset.location == "/bytes/1MiB?seed=7")
        #expect(asset.byteCount == .mebibytes(1))
        #expect(asset.mediaType == "application/octet-stream")
        #expect(asset.sha256 == (try GeneratedBytes(byteCount: 1 << 20, seed: 7).sha256()))
        #expect(asset.width == nil)
        // A hash that was kept is believed: that is what "once" means.
        let file = folder.path("bytes-1048576-7.json")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: try #require(asset.sha256), with: "kept").write(
            toFile: file, atomically: true, encoding: .utf8)
        #expect(try folder.library().asset(named: "1MiB", seed: 7).sha256 == "kept")
        #expect(try folder.library().asset(named: "1MiB", seed: 8).sha256 != "kept")
    }

    @Test(arguments: ["", "{", "{\"sha256\":\"x\"}"])
    func computesAHashAgainWhoseFileCannotBeRead(text: String) throws {
        let asset = try folder.library().asset(named: "1KiB")
        try text.write(toFile: folder.path("bytes-1024-0.json"), atomically: true, encoding: .utf8)
        #expect(try folder.library().asset(named: "1KiB") == asset)
    }

    @Test func describesATextByItsOwnHash() throws {
        let asset = try folder.library().asset(named: "text-1024KiB", seed: 7)
        #expect(asset.name == "text-1MiB" && asset.location == "/text/1MiB?seed=7")
        #expect(asset.byteCount == .mebibytes(1) && asset.mediaType == "text/plain; charset=utf-8")
        #expect(asset.sha256 == (try GeneratedText(byteCount: 1 << 20, seed: 7).sha256()))
        #expect(try folder.library().asset(named: "text-1MiB", seed: 7) == asset)
        #expect(try folder.library().asset(named: "1MiB", seed: 7).sha256 != asset.sha256)
    }

    @Test(
        arguments: [
            ("hero", "hero"), ("hero-progressive", "hero-progressive"), ("65536", "64KiB"), ("1.5 GiB", "1536MiB"),
            ("1TiB", "1TiB"), ("0", "0B"), ("text-65536", "text-64KiB"), ("text-64MiB", "text-64MiB"),
            ("json-1024KiB", "json-1MiB"), ("json-", nil), ("json-text-1", nil),
            ("gallery", "gallery"), ("gallery-36", "gallery-36"), ("gallery-1", nil), ("gallery-99", nil),
            ("1025GiB", nil), ("9223372036854775807", nil), ("text-1025GiB", nil), ("heron", nil), ("text-", nil),
            ("text-hero", nil), ("-1", nil),
            ("text--1", nil), ("", nil), ("64MB", nil), ("text-64MB", nil), ("text-text-1", nil),
        ] as [(String, String?)])
    func hasOneNameForEachOfItsAssets(name: String, canonical: String?) throws {
        #expect(AssetName(parsing: name)?.text == canonical)
        guard let canonical else {
            #expect(throws: FetchBenchError.self) { try folder.library().asset(named: name) }
            return
        }
        guard !["hero", "hero-progressive", "1TiB", "1536MiB"].contains(canonical) else { return }
        #expect(try folder.library().asset(named: name).name == canonical)
    }

    @Test func makesABodyForEachNameThatAPlanCanAskFor() throws {
        #expect(LibraryImage.all.map(\.name) == AssetName.images)
        for kind in ComputedKind.allCases {
            let asset = try folder.library().asset(named: kind.prefix + "1KiB", seed: 3)
            #expect(asset.name == kind.prefix + "1KiB" && asset.location == "/\(kind.segment)/1KiB?seed=3")
            let route = try Route(try .make(asset.location))
            let hash = if case .computed(let body) = route { try body.body.sha256() } else { "\(route)" }
            #expect(hash == asset.sha256)
        }
    }

    @Test func makesAnImageOnceAndItsFileIsWhatItSays() throws {
        let library = folder.library()
        let asset = try library.asset(named: "hero-progressive")
        #expect(try library.asset(named: "hero-progressive") == asset)
        #expect(try JSONDecoder().decode(Asset.self, from: JSONEncoder().encode(asset)) == asset)
        #expect(folder.encodings == 1)
        #expect(asset.location == "/assets/hero-progressive.jpg")
        #expect(asset.mediaType == "image/jpeg")
        #expect(asset.width == 6000 && asset.height == 4000)
        #expect(asset.byteCount == ByteCount(TestLibrary.imageByteCount))
        let file = try #require(try FileBytes(path: folder.path("hero-progressive.jpg")))
        #expect(try file.sha256() == asset.sha256)
        #expect(try folder.names() == ["hero-progressive.jpg", "hero-progressive.json"])
    }

    @Test(arguments: ["damaged", "short", "gone", "sidecar"])
    func makesAnImageAgainThatIsDamagedCutShortOrGone(kind: String) throws {
        let asset = try folder.library().asset(named: "hero")
        let file = URL(fileURLWithPath: folder.path("hero.jpg"))
        var bytes = try Data(contentsOf: file)
        switch kind {
        case "damaged": bytes[100_000] ^= 1
        case "short": bytes.removeLast()
        case "gone": try FileManager.default.removeItem(at: file)
        default: try FileManager.default.removeItem(atPath: folder.path("hero.json"))
        }
        if kind == "damaged" || kind == "short" { try bytes.write(to: file) }
        #expect(try folder.library().asset(named: "hero") == asset)
        #expect(folder.encodings == 2)
        // Another generator makes another one.
        #expect(try folder.library(generatorVersion: 2).asset(named: "hero").sha256 != asset.sha256)
        #expect(folder.encodings == 3)
    }

    @Test func makesAnImageOnceForManyRequestsAtTheSameTime() async throws {
        let left = folder.path("hero.jpg.partial")
        try FileManager.default.createDirectory(atPath: folder.directory, withIntermediateDirectories: true)
        try Data(repeating: 9, count: 500_000).write(to: URL(fileURLWithPath: left))
        let assets = try await withThrowingTaskGroup(of: Asset.self) { group in
            for _ in 0..<8 {
                group.addTask { [folder] in try folder.library().asset(named: "hero") }
            }
            return try await group.reduce(into: Set<Asset>()) { $0.insert($1) }
        }
        #expect(assets.count == 1)
        #expect(folder.encodings == 1)
        #expect(try folder.names() == ["hero.jpg", "hero.json"])
    }

    @Test func servesAnImageOfAnotherEncoderAndSaysSo() throws {
        let asset = try folder.library().asset(named: "hero")
        #expect(folder.library(expected: asset.sha256 ?? "").warnings(about: asset) == [])
        let warnings = folder.library(expected: "other").warnings(about: asset)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("test 1") == true)
        let bytes = try folder.library().asset(named: "1KiB")
        #expect(folder.library(expected: "other").warnings(about: bytes) == [])
    }

    @Test func saysWhichFolderItCannotUse() {
        let library = AssetLibrary(cacheDirectory: "/dev/null/assets")
        let error = #expect(throws: FetchBenchError.self) { try library.asset(named: "1KiB") }
        #expect(error?.errno == ENOTDIR)
        #expect(error?.description.contains("/dev/null/assets") == true)
    }
}

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
        #expect(throws: FetchBenchError.self) { try ImageHeader(parsing: bytes) }
    }
}

extension LibraryImage.Encoded {
    /// The row that would be recorded; a failure shows the row that the list needs.
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

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// When each file was written.
    func modified() throws -> [Date?] {
        try images.map { stored in
            let name = "\(directory)/\(stored.image.name).\(stored.image.frame.fileExtension)"
            return try FileManager.default.attributesOfItem(atPath: name)[.modificationDate] as? Date
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct GalleryTests {
    private let folder = TestLibrary()

    @Test func isOneAssetWhoseMembersArePictures() throws {
        let library = folder.library()
        let set = try library.asset(named: "gallery")
        let members = try #require(set.members)
        #expect(members.map(\.name) == LibraryImage.gallery.map(\.name))
        #expect(set.byteCount?.rawValue == members.count * TestLibrary.imageByteCount)
        #expect(set.location == "/gallery/manifest.json")
        #expect(try members.map { try library.asset(named: $0.name) } == members)
        #expect(folder.encodings == members.count, "each is made once")
        #expect(try folder.names().count == 2 * members.count)
        #expect(library.warnings(about: set).count == members.count)
        #expect(folder.library(expected: members[0].sha256 ?? "").warnings(about: set).count == members.count - 1)
        let other = try folder.library(generatorVersion: 2).asset(named: "gallery")
        #expect(other.sha256 != set.sha256 && other.byteCount == set.byteCount)
    }

    @Test func makesOnlyThePictureAgainThatIsDamaged() throws {
        let set = try folder.library().asset(named: "gallery")
        let picture = try #require(LibraryImage.gallery.first { $0.frame == .png })
        let file = URL(fileURLWithPath: folder.path("\(picture.name).png"))
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        #expect(try folder.library().asset(named: "gallery") == set)
        #expect(folder.encodings == LibraryImage.gallery.count + 1)
    }

    @Test(arguments: [("other", TestLibrary.imageByteCount, "pixels"), ("pixels", 230_000, "bytes")])
    func hasNoPictureThatIsNotWhatIsRecorded(pixels: String, byteCount: Int, word: String) throws {
        let library = folder.library(recordedPixels: pixels, recordedByteCount: byteCount)
        let error = #expect(throws: FetchBenchError.self) { try library.asset(named: "gallery-08") }
        #expect(error?.message.contains(word) == true && error?.message.contains("gallery-08") == true)
        #expect(try folder.names().isEmpty, "what is refused is not kept")
    }

    @Test func mayHaveFilesOfAnotherSizeWhereAnotherZlibPackedThem() throws {
        #expect(throws: Never.self) { try folder.library(recordedByteCount: 210_000).asset(named: "gallery-08") }
        #expect(throws: FetchBenchError.self) {
            try folder.library(recordedByteCount: 210_000).asset(named: "gallery-01")
        }
    }

    @Test func isServedAsItsManifestSaysWithTagsAndParts() async throws {
        let members = try #require(try folder.library().asset(named: "gallery").members)
        try await withOrigin(folder) { origin in
            let url = origin.baseURL + "/gallery/manifest.json"
            let answer = try await Curl.fetch(url)
            #expect(answer.status == 200 && answer.has("Content-Type", "application/json"))
            let manifest = try JSONDecoder().decode(Manifest.self, from: answer.body)
            let bytes = members.reduce(0) { $0 + ($1.byteCount?.rawValue ?? 0) }
            #expect(manifest.name == "gallery" && manifest.bytes == bytes)
            #expect(manifest.pictures.map(\.name) == members.map(\.name))
            #expect(manifest.pictures.map(\.sha256) == members.map(\.sha256))
            for picture in manifest.pictures.prefix(3) {
                let body = try await Curl.fetch(origin.baseURL + picture.path)
                #expect(try body.sha256() == picture.sha256 && body.body.count == picture.bytes)
                #expect(body.has("Content-Type", picture.mediaType) && body.has("Accept-Ranges", "bytes"))
                let part = try await Curl.fetch("-r", "10-19", origin.baseURL + picture.path)
                #expect(part.status == 206 && part.body == body.body[10..<20])
            }
            let tag = try #require(answer.header.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
            let again = try await Curl.fetch("-H", "If-None-Match: " + tag.dropFirst("ETag: ".count), url)
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    private struct Manifest: Decodable {
        struct Picture: Decodable {
            var name: String
            var path: String
            var mediaType: String
            var bytes: Int
            var sha256: String
            var width: Int
            var height: Int
            var frame: String

            private enum CodingKeys: String, CodingKey {
                case name, path, bytes, sha256, width, height, frame
                case mediaType = "media_type"
            }
        }
        var name: String
        var bytes: Int
        var pictures: [Picture]
    }
}
