// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import Rendering
import Testing
import TrialKit

@Suite(.ownThreads) struct RenderModelTests {
    private let ledger = BitmapLedger()

    /// A body in memory whose end a weak reference shows.
    private final class Body: ContiguousBytes, Sendable {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes(body)
        }
    }

    private func render(
        _ model: any RenderModel, _ bytes: [UInt8], view: PixelSize = PixelSize(width: 60, height: 60)
    ) throws -> any RenderedImage {
        let settings = RenderSettings(viewWidth: view.width, viewHeight: view.height)
        let renderer = try model.makeRenderer(settings)
        try renderer.warmUp()
        return try renderer.render(FetchedBody(content: .memory(bytes), byteCount: bytes.count))
    }

    private var models: [any RenderModel] { [NoneModel()] + RenderCatalog.all }

    @Test func theCatalogNamesEachModelOnce() {
        #expect(
            RenderCatalog.all.map(\.name) == ["imageview", "thumbnail", "stream-thumbnail", "copied", "imageview-yuv"])
        #expect(RenderCatalog.all.allSatisfy { $0.needsBody })
        #expect(RenderCatalog.all.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("\n") })
    }

    @Test func imageViewKeepsAllPixels() throws {
        let size = PixelSize(width: 300, height: 200)
        do {
            let image = try render(DecodingModel.imageView(ledger: ledger), TestJPEG.gradient(size))
            #expect(image.decodedWidth == 300)
            #expect(image.decodedHeight == 200)
            #expect(image.bitmapByteCount == (300 * 200 * 4 + 4095) / 4096 * 4096)
        }
        #expect(ledger.liveByteCount == 0)
    }

    @Test(arguments: [
        (PixelSize(width: 300, height: 200), PixelSize(width: 60, height: 40)),
        (PixelSize(width: 200, height: 300), PixelSize(width: 40, height: 60)),
        (PixelSize(width: 61, height: 59), PixelSize(width: 60, height: 58)),
        (PixelSize(width: 9, height: 5), PixelSize(width: 9, height: 5)),
        (PixelSize(width: 1000, height: 8), PixelSize(width: 60, height: 1)),
    ])
    func thumbnailKeepsExactlyTheViewsPixels(size: PixelSize, shown: PixelSize) throws {
        let image = try #require(
            try render(DecodingModel.thumbnail(ledger: ledger), TestJPEG.gradient(size)) as? DecodingModel.HeldImage)
        #expect(image.bitmap.size == shown)
        #expect(image.decodedWidth == shown.width)
        #expect(image.bitmapByteCount == image.bitmap.byteCount, "the decoder's own scale is gone")
        let middle = image.bitmap.withPixels { $0.row(shown.height / 2)[shown.width / 2] }
        let wanted = TestJPEG.gradientPixel(size.width / 2, size.height / 2, size)
        #expect(abs(Int(middle.x) - Int(wanted.x)) <= 16)
        #expect(middle.w == 255)
    }

    @Test(arguments: [
        ("none", true), ("imageview", true), ("thumbnail", false), ("stream-thumbnail", false), ("copied", true),
        ("imageview-yuv", true),
    ])
    func theModelDecidesHowLongTheBodyLives(name: String, isKept: Bool) throws {
        let model = try #require(models.first { $0.name == name })
        let renderer = try model.makeRenderer(RenderSettings(viewWidth: 20, viewHeight: 20))
        var source: Body? = Body(try TestJPEG.gradient(PixelSize(width: 30, height: 30)))
        weak let observer = source
        let image = try renderer.render(takeBody(&source))
        withExtendedLifetime(image) { #expect((observer != nil) == isKept) }
    }

    private func takeBody(_ source: inout Body?) throws -> FetchedBody {
        let body = try #require(source)
        source = nil
        return FetchedBody(content: .memory(body), byteCount: body.bytes.count)
    }

    @Test(arguments: RenderCatalog.all.map(\.name))
    func aFileIsMappedAndMayBeRemoved(name: String) throws {
        let model = try #require(models.first { $0.name == name })
        let renderer = try model.makeRenderer(RenderSettings(viewWidth: 20, viewHeight: 20))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jpg")
        try Data(TestJPEG.gradient(PixelSize(width: 30, height: 40))).write(to: file)
        let image = try renderer.render(FetchedBody(content: .file(path: file.path), byteCount: 0))
        try FileManager.default.removeItem(at: file)
        #expect(image.decodedHeight == (name.hasSuffix("thumbnail") ? 20 : 40))

        let gone = FetchedBody(content: .file(path: file.path), byteCount: 0)
        let failure = #expect(throws: RenderFailure.self) { _ = try renderer.render(gone) }
        #expect(failure?.code == .system)
        #expect(failure?.detail.contains("/") == false, "no path of this machine in a stored run")
    }

    @Test func anEmptyFileAndNoBodyAreNoImage() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jpg")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let renderer = try DecodingModel.imageView(ledger: ledger).makeRenderer(
            RenderSettings(viewWidth: 20, viewHeight: 20))
        for body in [FetchedBody(content: .file(path: file.path), byteCount: 0), .nothing] {
            let failure = #expect(throws: RenderFailure.self) { _ = try renderer.render(body) }
            #expect(failure?.code == .notAnImage)
        }
    }

    @Test func noneKeepsAndDecodesNothing() throws {
        let image = try render(NoneModel(), Array("anything".utf8))
        #expect(image.decodedWidth == nil)
        #expect(image.decodedHeight == nil)
        #expect(image.bitmapByteCount == 0)
    }
}

/// The render model `json`: what it decodes, what it keeps, and what it says of everything else.
struct JSONModelTests {
    private func document(of byteCount: Int) throws -> (bytes: [UInt8], records: Int) {
        let body = try GeneratedJSON(byteCount: byteCount, seed: 1)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return (bytes, body.recordCount)
    }

    private func renderer() throws -> any Renderer {
        let renderer = try JSONModel().makeRenderer(RenderSettings())
        try renderer.warmUp()
        return renderer
    }

    @Test(arguments: [2, 129, 130, 1024, 100_001])
    func everyRecordIsDecodedFromMemoryAndFromAFile(byteCount: Int) throws {
        let (bytes, records) = try document(of: byteCount)
        let memory = try renderer().render(FetchedBody(content: .memory(bytes), byteCount: bytes.count))
        #expect(memory.recordCount == records)
        #expect(memory.decodedWidth == nil && memory.bitmapByteCount == 0, "no picture")
        let path = FileManager.default.temporaryDirectory.path + "/records-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try renderer().render(FetchedBody(content: .file(path: path), byteCount: bytes.count))
        #expect(file.recordCount == records)
    }

    /// Bytes that tell whether somebody still holds them.
    private final class HeldBytes: ContiguousBytes, Sendable {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes(body)
        }
    }

    @Test func theBodyIsDroppedAndTheRecordsAreKept() throws {
        let (bytes, records) = try document(of: 4096)
        var held: HeldBytes? = HeldBytes(bytes)
        weak let watched = held
        let image = try renderer().render(
            FetchedBody(content: .memory(try #require(held)), byteCount: bytes.count))
        held = nil
        #expect(watched == nil)
        #expect(image.recordCount == records)
    }

    @Test(arguments: [
        ("", "not JSON"), ("0", "a value is not a Array"), ("no document", "not JSON"),
        (#"[{"id":1}]"#, "a record has no 'title'"), (#"[{"id":"1"}]"#, "a value is not a Int"), ("[1", "not JSON"),
    ])
    func undecodableBodiesFailWithAReason(text: String, words: String) throws {
        let body = FetchedBody(content: .memory(Array(text.utf8)), byteCount: text.utf8.count)
        let failure = #expect(throws: RenderFailure.self) { try renderer().render(body) }
        #expect(failure?.code == .notRecords)
        #expect(failure?.detail.hasPrefix("the body cannot be decoded: " + words) == true)
    }

    @Test func aBodyThatIsNowhereIsAFailure() throws {
        let nothing = #expect(throws: RenderFailure.self) { try renderer().render(.nothing) }
        #expect(nothing?.code == .notRecords)
        let absent = FetchedBody(content: .file(path: "/nowhere/secret"), byteCount: 1)
        let failure = #expect(throws: RenderFailure.self) { try renderer().render(absent) }
        #expect(failure?.code == .system && failure?.detail.contains("secret") == false)
    }

    @Test func aProgramsOwnModelReplacesIt() {
        struct Own: RenderModel {
            let name = "json"
            let summary = "its own"
            let needsBody = true

            func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
                throw RenderFailure(.system, "only a description")
            }
        }
        #expect(TrialProgram.renderModels(with: []).map(\.name) == ["none", "json"])
        #expect(TrialProgram.renderModels(with: [Own()]).map(\.summary).contains("its own"))
        #expect(TrialProgram.renderModels(with: [Own()]).map(\.name) == ["none", "json"])
        #expect(JSONModel().need == .json && Own().need == .image)
    }
}
