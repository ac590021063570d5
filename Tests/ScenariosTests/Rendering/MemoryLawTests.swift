// SPDX-License-Identifier: Apache-2.0

import Foundation
import Rendering
import TestSupport
import Testing

/// What rendering costs, measured in a fresh process each, against what it must cost by arithmetic.
///
/// One at a time, because every case maps its pictures.
@Suite(.serialized, .ownThreads) struct MemoryLawTests {
    private static let size = PixelSize(width: 3000, height: 2000)
    private static let mebibyte = 1_048_576
    /// What the decoder, the allocator and the kernel's counting may add.
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
