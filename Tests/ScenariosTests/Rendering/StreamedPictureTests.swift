// SPDX-License-Identifier: Apache-2.0

import Foundation
import Rendering
import Testing
import TrialKit

/// Pictures that are decoded while they arrive, against the same decoded at once.
@Suite(.ownThreads) struct StreamedPictureTests {
    private static let kinds = [
        "jpeg", "jpeg-444", "jpeg-422", "jpeg-progressive", "jpeg-gray", "png", "png-alpha", "png-palette",
        "png-interlaced", "png-interlaced-alpha", "webp", "webp-alpha", "webp-lossless",
    ]
    private static let size = PixelSize(width: 250, height: 130)
    private let ledger = BitmapLedger()

    private func consumer(fitting view: PixelSize?, limits: RenderSettings = RenderSettings()) -> PictureConsumer {
        PictureConsumer(fitting: view, limits: limits, ledger: ledger)
    }

    private func feed(_ bytes: [UInt8], to consumer: PictureConsumer, by length: Int) {
        bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                // A copy of its own, so that a look beyond the piece would be seen.
                let piece = Array(rest.prefix(length))
                piece.withUnsafeBytes { consumer.take($0) }
                rest = rest.dropFirst(length)
            }
        }
    }

    /// In single bytes, which take long, for one view.
    @Test(arguments: kinds, [1, 16_384, 1 << 30])
    func pixelsAreThoseOfOneShot(kind: String, length: Int) throws {
        let bytes = try Pillow.make(kind, Self.size)
        let views = [PixelSize(width: 31, height: 40), nil, PixelSize(width: 100, height: 100), Self.size]
        for view in length == 1 ? views.prefix(1) : views[...] {
            let wanted = try Picture.decode(.of(bytes), fitting: view, limits: RenderSettings(), ledger: ledger)
            let consumer = consumer(fitting: view)
            feed(bytes, to: consumer, by: length)
            let found = try consumer.finish()
            #expect(found.size == wanted.size)
            #expect(found.pixels == wanted.pixels, "\(kind) in pieces of \(length) for \(String(describing: view))")
        }
        #expect(ledger.liveByteCount == 0)
    }

    @Test(arguments: kinds, [0.02, 0.5, 0.99])
    func aCutPictureIsTruncated(kind: String, share: Double) throws {
        let whole = try Pillow.make(kind, Self.size)
        let consumer = consumer(fitting: PixelSize(width: 40, height: 40))
        feed(Array(whole.prefix(Int(Double(whole.count) * share))), to: consumer, by: 1000)
        let failure = #expect(throws: RenderFailure.self) { _ = try consumer.finish() }
        #expect(failure?.code == .truncatedImage)
        #expect(ledger.liveByteCount == 0, "no bitmap stays")
    }

    @Test(arguments: ["gif", "tiff", "bmp", "jpeg-cmyk", "webp-animated"])
    func unsupportedFormatsAreNamed(kind: String) throws {
        let consumer = consumer(fitting: nil)
        feed(try Pillow.make(kind, Self.size), to: consumer, by: 100)
        let failure = #expect(throws: RenderFailure.self) { _ = try consumer.finish() }
        #expect(failure?.code == .unsupportedImage)
    }

    @Test func anEmptyBodyIsNoImage() {
        let failure = #expect(throws: RenderFailure.self) { _ = try consumer(fitting: nil).finish() }
        #expect(failure?.code == .notAnImage)
    }

    @Test func aBodyThatGrowsBeyondTheLimitIsRefused() throws {
        let bytes = try Pillow.make("png", Self.size)
        let consumer = consumer(fitting: nil, limits: RenderSettings(maximumEncodedBytes: bytes.count - 1))
        feed(bytes, to: consumer, by: 100)
        let failure = #expect(throws: RenderFailure.self) { _ = try consumer.finish() }
        #expect(failure?.code == .overLimit)
    }

    @Test func extraneousBytesAndBytesBehindTheEndAreOfNoMatter() throws {
        let jpeg = try TestJPEG.gradient(Self.size)
        let end = 4 + (Int(jpeg[4]) << 8 | Int(jpeg[5]))
        let odd = Array(jpeg[..<end]) + [0, 0, 0] + jpeg[end...] + [UInt8](repeating: 7, count: 5000)
        let consumer = consumer(fitting: nil)
        feed(odd, to: consumer, by: 64)
        let wanted = try Picture.decode(.of(jpeg), fitting: nil, limits: RenderSettings(), ledger: ledger)
        #expect(try consumer.finish().pixels == wanted.pixels)
    }

    @Test func endlessScansAreCutOff() throws {
        let bytes = try TestJPEG.grain(PixelSize(width: 64, height: 64), .progressive)
        let scan = try #require(bytes.indices.last { bytes[$0] == 0xFF && bytes[min($0 + 1, bytes.count - 1)] == 0xDA })
        let last = bytes[scan..<(bytes.count - 2)]
        let consumer = consumer(fitting: nil)
        feed(
            Array(bytes.dropLast(2)) + Array(repeating: last, count: 600).joined() + [0xFF, 0xD9], to: consumer,
            by: 4096)
        let failure = #expect(throws: RenderFailure.self) { _ = try consumer.finish() }
        #expect(failure?.code == .overLimit)
        #expect(failure?.detail.contains("500 scans") == true)
    }

    @Test func aFileGivesTheSamePixelsAsPieces() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "streamed-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let renderer = try StreamThumbnailModel(ledger: ledger).makeRenderer(
            RenderSettings(viewWidth: 40, viewHeight: 40))
        try renderer.warmUp()
        for kind in ["jpeg", "png-interlaced", "webp"] {
            let bytes = try Pillow.make(kind, Self.size)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let file = try renderer.render(FetchedBody(content: .file(path: path), byteCount: bytes.count))
            let memory = try renderer.render(FetchedBody(content: .memory(Data(bytes)), byteCount: bytes.count))
            #expect(file.decodedWidth == 40 && file.decodedHeight == memory.decodedHeight && file.note == memory.note)
        }
    }

    @Test func aFileThatCannotBeReadIsAFailureOfTheSystem() throws {
        let renderer = try StreamThumbnailModel(ledger: ledger).makeRenderer(
            RenderSettings(viewWidth: 40, viewHeight: 40))
        for path in ["/nowhere/body", "/tmp"] {
            let failure = #expect(throws: RenderFailure.self) {
                _ = try renderer.render(FetchedBody(content: .file(path: path), byteCount: 1))
            }
            #expect(failure?.code == .system)
        }
        let empty = #expect(throws: RenderFailure.self) {
            _ = try renderer.render(FetchedBody(content: .file(path: "/dev/null"), byteCount: 0))
        }
        #expect(empty?.code == .notAnImage)
    }

    @Test func theModelTellsWhatItHadToHold() throws {
        let renderer = try StreamThumbnailModel(ledger: ledger).makeRenderer(
            RenderSettings(viewWidth: 40, viewHeight: 40))
        try renderer.warmUp()
        let notes = try ["jpeg", "jpeg-progressive", "png", "png-interlaced", "webp", "webp-lossless"].map { kind in
            let consumer = try #require(renderer.makeConsumer())
            let bytes = try Pillow.make(kind, Self.size)
            bytes.withUnsafeBytes { consumer.take($0) }
            let image = try renderer.render(FetchedBody(content: .consumed(consumer), byteCount: bytes.count))
            #expect(image.decodedWidth == 40)
            return image.note
        }
        for index in [0, 2, 4] { #expect(notes[index] == nil) }
        #expect(notes[1]?.contains("progressive") == true)
        #expect(notes[3]?.contains("interlaced") == true)
        #expect(notes[5]?.contains("lossless") == true)
    }
}
