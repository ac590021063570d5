// SPDX-License-Identifier: Apache-2.0

import Foundation
import Rendering
import Testing

/// The memory of rendering, measured in fresh processes, compared with arithmetic.
///
/// One at a time, because every case maps its pictures.
@Suite(.serialized, .ownThreads) struct MemoryLawTests {
    private static let size = PixelSize(width: 3000, height: 2000)
    private static let mebibyte = 1_048_576
    /// The tolerance for the decoder, the allocator and the kernel's counters.
    private static let slack = mebibyte / 2
    private static let fullBitmap = 4 * size.pixelCount
    private static let thumbnail = 4 * 1170 * 780
    /// The decoder's step on the way to the thumbnail: 4/8.
    private static let step = 4 * 1500 * 1000
    private static let coefficients = 3 * size.pixelCount

    private static let capped = [DecoderMemory.environment.name: DecoderMemory.environment.value]

    /// How far `VmHWM` may be off: the kernel counts pages in batches, per kind of page and CPU.
    private static let peakBound = {
        let processors = ProcessInfo.processInfo.processorCount
        return 3 * processors * (max(32, 2 * processors) - 1) * 4096
    }()

    /// Expects an anonymous growth, which is exact on our side: less than this was not there.
    private func expect(_ growth: Int, is expected: Int, _ what: Comment) {
        #expect(growth >= expected - Self.slack / 8, what)
        #expect(growth <= expected + Self.slack, what)
    }

    /// Expects a growth of the peak, which file pages of libraries and the kernel's batches blur.
    private func expectPeak(_ growth: Int, is expected: Int, _ what: Comment) {
        #expect(growth >= expected - Self.peakBound, what)
        #expect(growth <= expected + Self.mebibyte + Self.peakBound, what)
    }

    @Test func fullDecodeFromHeapHoldsTheEncodedBytesToo() throws {
        let jpeg = try TestJPEG.grain(Self.size, .halfColour)
        let report = try RenderFixture.run("imageview", .heap, jpeg, environment: Self.capped)
        expect(report.anonymousGrowth, is: Self.fullBitmap + jpeg.count, "4·W·H and the encoded bytes")
        expect(report.anonymousGrowthAfterRelease, is: 0, "all of it goes")
        #expect(report.bitmapBytes == (Self.fullBitmap + 4095) / 4096 * 4096)
        #expect(report.leakedBitmapBytes == 0)
    }

    @Test func fullDecodeFromFileHoldsTheBitmapAlone() throws {
        let jpeg = try TestJPEG.grain(Self.size, .halfColour)
        #expect(jpeg.count > 2 * Self.slack, "large enough to be seen")
        let report = try RenderFixture.run("imageview", .file, jpeg, environment: Self.capped)
        expect(report.anonymousGrowth, is: Self.fullBitmap, "4·W·H: a mapped file is not anonymous")
        expectPeak(report.peakResidentGrowth, is: Self.fullBitmap + jpeg.count, "but its pages are resident")
    }

    @Test func thumbnailKeepsItsPixelsAlone() throws {
        let jpeg = try TestJPEG.grain(Self.size, .halfColour)
        let report = try RenderFixture.run("thumbnail", .heap, jpeg, environment: Self.capped)
        #expect(report.width == 1170)
        #expect(report.height == 780)
        expect(report.anonymousGrowth, is: Self.thumbnail, "4·w·h; source and step are dropped")
        expectPeak(
            report.peakResidentGrowth, is: Self.step + max(jpeg.count, Self.thumbnail),
            "the source is gone before the thumbnail comes")
    }

    @Test func progressiveAddsItsCoefficientsToThePeak() throws {
        let jpeg = try TestJPEG.grain(Self.size, .progressive)
        let report = try RenderFixture.run("imageview", .heap, jpeg, environment: Self.capped)
        expect(report.anonymousGrowth, is: Self.fullBitmap + jpeg.count, "the coefficients are gone afterwards")
        expectPeak(
            report.peakResidentGrowth, is: Self.fullBitmap + jpeg.count + Self.coefficients,
            "3·W·H at 4:2:0 while it decodes")
    }

    @Test func theEnvironmentCapsTheDecodersMemory() throws {
        let jpeg = try TestJPEG.grain(Self.size, .progressive)
        let tight = [DecoderMemory.environment.name: String((Self.coefficients - 2 * Self.mebibyte) / 1000)]
        let report = try RenderFixture.run("imageview", .heap, jpeg, environment: tight)
        #expect(report.failure == "over_limit")
        expectPeak(report.peakResidentGrowth, is: jpeg.count, "nothing was decoded")
        let wide = [DecoderMemory.environment.name: String((Self.coefficients + 2 * Self.mebibyte) / 1000)]
        #expect(try RenderFixture.run("imageview", .heap, jpeg, environment: wide).failure == nil)
    }

    @Test func aProgressiveBombUnderThePixelLimitCostsNothing() throws {
        let tiny = try TestJPEG.grain(PixelSize(width: 32, height: 32), .progressive)
        let bomb = try TestJPEG.claiming(PixelSize(width: 10_000, height: 10_000), in: tiny)
        let report = try RenderFixture.run("imageview", .file, bomb, environment: Self.capped)
        #expect(report.failure == "over_limit")
        expectPeak(report.peakResidentGrowth, is: 0, "neither bitmap nor coefficients were touched")
        #expect(report.leakedBitmapBytes == 0)
    }

    @Test func theCapIsWithinItsLimitInTheDecodersUnit() throws {
        let units = try #require(Int(DecoderMemory.environment.value))
        #expect(units * 1000 <= DecoderMemory.usualBytes)
        #expect((units + 1) * 1000 > DecoderMemory.usualBytes)
    }
}

/// The memory of each model with each format, measured in fresh processes, compared with arithmetic.
///
/// One at a time, because every case maps its pictures.
@Suite(.serialized, .ownThreads) struct FormatMemoryTests {
    private static let size = PixelSize(width: 3000, height: 2000)
    private static let mebibyte = 1_048_576
    private static let fullBitmap = 4 * size.pixelCount
    private static let thumbnail = 4 * 1170 * 780
    private static let capped = [DecoderMemory.environment.name: DecoderMemory.environment.value]

    /// How far `VmHWM` may be off: the kernel counts pages in batches, per kind of page and CPU.
    private static let peakBound = {
        let processors = ProcessInfo.processInfo.processorCount
        return 3 * processors * (max(32, 2 * processors) - 1) * 4096
    }()

    private func run(
        _ model: String, _ place: RenderFixture.Place, _ picture: [UInt8]
    ) throws -> RenderFixture {
        let report = try RenderFixture.run(model, place, picture, environment: Self.capped)
        #expect(report.leakedBitmapBytes == 0)
        return report
    }

    /// Expects an anonymous growth of at least this, and of half a mebibyte more at most.
    private func expect(_ report: RenderFixture, holds expected: Int, _ what: Comment) {
        #expect(report.failure == nil, what)
        #expect(report.anonymousGrowth >= expected - Self.mebibyte / 16, what)
        #expect(report.anonymousGrowth <= expected + Self.mebibyte / 2, what)
    }

    @Test(arguments: ["jpeg", "jpeg-444", "png", "webp"])
    func aStreamedThumbnailCostsItsPixelsAndOneMebibyte(kind: String) throws {
        let picture = try Pillow.make(kind, Self.size)
        #expect(picture.count > 2 * Self.mebibyte, "large enough to be seen")
        let report = try run("stream-thumbnail", .pieces, picture)
        #expect([report.width, report.height] == [1170, 780])
        #expect(report.note == nil)
        expect(report, holds: Self.thumbnail, "4·w·h of \(kind)")
        #expect(
            report.peakResidentGrowth <= Self.thumbnail + Self.mebibyte + Self.peakBound,
            "and no more at any time: \(report.peakResidentGrowth - Self.thumbnail) beside the pixels of \(kind)")
    }

    /// The file is read in pieces: none of its pages is mapped, so that resident is as low as anonymous memory.
    @Test(arguments: ["jpeg", "png", "webp"])
    func aThumbnailStreamedFromAFileCostsNoMore(kind: String) throws {
        let picture = try Pillow.make(kind, Self.size)
        let report = try run("stream-thumbnail", .file, picture)
        #expect([report.width, report.height] == [1170, 780])
        expect(report, holds: Self.thumbnail, "4·w·h of \(kind)")
        #expect(
            report.peakResidentGrowth <= Self.thumbnail + Self.mebibyte + Self.peakBound,
            "\(report.peakResidentGrowth - Self.thumbnail) beside the pixels of \(kind), a file of \(picture.count)")
    }

    @Test(arguments: [
        ("jpeg-progressive", 3 * size.pixelCount, "progressive"), ("webp-lossless", 4 * size.pixelCount, "lossless"),
        ("webp-alpha", size.pixelCount, "alpha"),
    ])
    func picturesThatCannotBeStreamedAreNoted(kind: String, beside: Int, word: String) throws {
        let report = try run("stream-thumbnail", .pieces, Pillow.make(kind, Self.size))
        #expect(report.note?.contains(word) == true)
        expect(report, holds: Self.thumbnail, "what was held beside the pixels is gone")
        #expect(report.peakResidentGrowth >= beside + Self.thumbnail / 2 - Self.peakBound, "but it was there")
    }

    @Test(arguments: ["jpeg", "png", "webp"])
    func imageViewCostsAllPixelsOfEveryFormat(kind: String) throws {
        expect(try run("imageview", .file, Pillow.make(kind, Self.size)), holds: Self.fullBitmap, "4·W·H of \(kind)")
    }

    @Test(arguments: ["png", "webp"])
    func aThumbnailIsScaledWhileItIsDecoded(kind: String) throws {
        let picture = try Pillow.make(kind, Self.size)
        let report = try run("thumbnail", .file, picture)
        expect(report, holds: Self.thumbnail, "4·w·h of \(kind)")
        #expect(
            report.peakResidentGrowth <= Self.thumbnail + picture.count + Self.mebibyte + Self.peakBound,
            "no larger bitmap on the way, for \(kind)")
    }

    @Test(arguments: ["jpeg", "png"])
    func aCopyDoublesTheBitmap(kind: String) throws {
        let report = try run("copied", .file, Pillow.make(kind, Self.size))
        let aligned = (Self.size.width * 4 + 63) / 64 * 64 * Self.size.height
        expect(report, holds: Self.fullBitmap + aligned, "8·W·H")
    }

    @Test(arguments: [
        ("jpeg", size.pixelCount * 3 / 2), ("jpeg-422", size.pixelCount * 2), ("jpeg-444", size.pixelCount * 3),
        ("jpeg-gray", size.pixelCount), ("webp", size.pixelCount * 3 / 2),
    ])
    func planesCostTheirSamples(kind: String, expected: Int) throws {
        let report = try run("imageview-yuv", .file, Pillow.make(kind, Self.size))
        #expect(report.note == nil)
        expect(report, holds: expected, "1.5·W·H at 4:2:0; \(kind)")
    }

    @Test func picturesWithoutPlanesAreNoted() throws {
        let report = try run("imageview-yuv", .file, Pillow.make("png", Self.size))
        expect(report, holds: Self.fullBitmap, "4·W·H")
        #expect(report.note?.contains("BGRA") == true)
    }

    @Test(
        arguments: [
            ("claim-png", PixelSize(width: 30_000, height: 30_000)),
            ("claim-png-interlaced", PixelSize(width: 9000, height: 9000)),
            ("claim-webp-lossless", PixelSize(width: 16_384, height: 16_384)),
            ("claim-webp-lossless", PixelSize(width: 16_383, height: 6000)),
        ], ["thumbnail", "stream-thumbnail"])
    func aBombIsRefusedAndCostsNothing(claim: (String, PixelSize), model: String) throws {
        let bomb = try Pillow.make(claim.0, claim.1)
        let report = try run(model, model == "thumbnail" ? .file : .pieces, bomb)
        #expect(report.failure == "over_limit")
        #expect(report.peakResidentGrowth <= Self.mebibyte + Self.peakBound)
    }

    @Test(arguments: ["imageview", "thumbnail", "stream-thumbnail"])
    func aClaimWithinTheLimitsCostsNoMoreThanItSends(model: String) throws {
        let claim = try Pillow.make("claim-png", PixelSize(width: 9999, height: 9999))
        let report = try run(model, model == "stream-thumbnail" ? .pieces : .file, claim)
        #expect(["not_an_image", "truncated_image"].contains(report.failure))
        #expect(report.peakResidentGrowth <= Self.mebibyte + Self.peakBound)
    }
}

/// Runs `render-fixture`, which the package builds beside these tests.
struct RenderFixture: Decodable {
    /// Where the body lies before it is rendered.
    enum Place: String {
        case heap, file, pieces
    }

    var failure: String?
    var detail: String?
    var width: Int?
    var height: Int?
    var note: String?
    var bitmapBytes: Int?
    var anonymousGrowth: Int
    var peakResidentGrowth: Int
    var anonymousGrowthAfterRelease: Int
    var leakedBitmapBytes: Int

    /// Renders a picture in a fresh process that sees this environment and nothing else.
    static func run(
        _ model: String, _ place: Place, _ picture: [UInt8], environment: [String: String]
    ) throws -> RenderFixture {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).picture")
        try Data(picture).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let fixture = tests.deletingLastPathComponent().appending(path: "render-fixture").path
        let ended = try TestProcess.run(fixture, [model, place.rawValue, file.path], environment: environment)
        #expect(ended.status == 0, "\(ended.complaint)")
        return try JSONDecoder().decode(Self.self, from: Data(ended.output))
    }
}
