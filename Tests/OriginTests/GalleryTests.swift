// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Origin
import Runs
import Testing

@Suite("The gallery", .timeLimit(.minutes(5)))
struct GalleryTests {
    private let folder = TestLibrary()

    @Test("is one asset whose members are pictures")
    func set() throws {
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

    @Test("makes only the picture again that is damaged")
    func damage() throws {
        let set = try folder.library().asset(named: "gallery")
        let picture = try #require(LibraryImage.gallery.first { $0.frame == .png })
        let file = URL(fileURLWithPath: folder.path("\(picture.name).png"))
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        #expect(try folder.library().asset(named: "gallery") == set)
        #expect(folder.encodings == LibraryImage.gallery.count + 1)
    }

    @Test(
        "has no picture that is not what is recorded",
        arguments: [("other", TestLibrary.imageByteCount, "pixels"), ("pixels", 230_000, "bytes")])
    func refused(pixels: String, byteCount: Int, word: String) throws {
        let library = folder.library(recordedPixels: pixels, recordedByteCount: byteCount)
        let error = #expect(throws: AssetError.self) { try library.asset(named: "gallery-08") }
        #expect(error?.code == .image)
        #expect(error?.what.contains(word) == true && error?.what.contains("gallery-08") == true)
        #expect(try folder.names().isEmpty, "what is refused is not kept")
    }

    @Test("may have files of another size where another zlib packed them, within a tenth")
    func tolerance() throws {
        #expect(throws: Never.self) { try folder.library(recordedByteCount: 210_000).asset(named: "gallery-08") }
        #expect(throws: AssetError.self) { try folder.library(recordedByteCount: 210_000).asset(named: "gallery-01") }
    }

    @Test("is served as its manifest says, with tags and parts")
    func served() async throws {
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
