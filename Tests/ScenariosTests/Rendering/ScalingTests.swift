// SPDX-License-Identifier: Apache-2.0

import Rendering
import Testing
import TrialKit

@Suite struct ScalingTests {
    private let ledger = BitmapLedger()

    private func noise(_ size: PixelSize, seed: UInt32) throws -> Bitmap {
        let bitmap = try Bitmap(size, ledger: ledger)
        var state = seed
        bitmap.withPixels { pixels in
            for index in 0..<size.pixelCount {
                state = state &* 1_664_525 &+ 1_013_904_223
                pixels.start[index] = Pixel(
                    UInt8(state >> 24), UInt8(state >> 16 & 255), UInt8(state >> 8 & 255), 255)
            }
        }
        return bitmap
    }

    /// The average over a target pixel's area, by its definition: every source pixel, weighed by the overlap.
    private func average(_ source: PixelRows, x: Int, y: Int, of target: PixelSize) -> SIMD4<Double> {
        let scale = (
            x: Double(source.width) / Double(target.width), y: Double(source.height) / Double(target.height)
        )
        var sum = SIMD4<Double>.zero
        for row in 0..<source.height {
            let rowShare = min(Double(row + 1), Double(y + 1) * scale.y) - max(Double(row), Double(y) * scale.y)
            for column in 0..<source.width where rowShare > 0 {
                let share =
                    min(Double(column + 1), Double(x + 1) * scale.x) - max(Double(column), Double(x) * scale.x)
                if share > 0 { sum += SIMD4<Double>(source.row(row)[column]) * (share * rowShare) }
            }
        }
        return sum / (scale.x * scale.y)
    }

    @Test(arguments: [
        (PixelSize(width: 7, height: 5), PixelSize(width: 3, height: 2)),
        (PixelSize(width: 60, height: 41), PixelSize(width: 33, height: 40)),
        (PixelSize(width: 12, height: 12), PixelSize(width: 12, height: 12)),
        (PixelSize(width: 300, height: 3), PixelSize(width: 1, height: 1)),
        (PixelSize(width: 5, height: 64), PixelSize(width: 5, height: 9)),
    ])
    func everyPixelIsTheAverageOfItsArea(from: PixelSize, to: PixelSize) throws {
        let source = try noise(from, seed: 7)
        let target = try Bitmap(to, ledger: ledger)
        let scaler = try AreaScaler(maximumWidth: to.width)
        // Twice: the sums of one picture must not leak into the next.
        for _ in 0..<2 {
            source.withPixels { rows in target.withPixels { scaler.scale(rows, into: $0) } }
        }
        source.withPixels { rows in
            target.withPixels { result in
                for y in 0..<to.height {
                    for x in 0..<to.width {
                        let difference = SIMD4<Double>(result.row(y)[x]) - average(rows, x: x, y: y, of: to)
                        #expect(max(difference.max(), -difference.min()) <= 0.5 + 1e-6)
                    }
                }
            }
        }
    }

    @Test func everyRowCounts() throws {
        let size = PixelSize(width: 8, height: 61)
        let framebuffer = try Framebuffer(RenderSettings(viewWidth: 8, viewHeight: 16))
        for row in 0..<size.height {
            let picture = try Bitmap(size, ledger: ledger)
            picture.withPixels { $0.row(row).update(repeating: Pixel(255, 255, 255, 255), count: size.width) }
            framebuffer.draw(picture)
            let brightest = framebuffer.withPixels { view in
                (0..<view.width * view.height).map { view.start[$0].x }.max() ?? 0
            }
            #expect(brightest > 0, "row \(row) was not read")
        }
    }

    @Test func aPictureIsCenteredOnBlackAndReplacesTheOneBefore() throws {
        let framebuffer = try Framebuffer(RenderSettings(viewWidth: 10, viewHeight: 10))
        let white = Pixel(255, 255, 255, 255)
        for size in [PixelSize(width: 10, height: 10), PixelSize(width: 4, height: 2)] {
            let picture = try Bitmap(size, ledger: ledger)
            picture.withPixels { $0.start.update(repeating: white, count: size.pixelCount) }
            framebuffer.draw(picture)
        }
        framebuffer.withPixels { view in
            for y in 0..<10 {
                for x in 0..<10 {
                    let isInside = (3..<7).contains(x) && (4..<6).contains(y)
                    #expect(view.row(y)[x] == (isInside ? white : Pixel(0, 0, 0, 255)), "at \(x), \(y)")
                }
            }
        }
    }

    @Test(arguments: [
        // Landscape, portrait, one that fits as it is, one pixel too wide, and a thread.
        (PixelSize(width: 6000, height: 4000), PixelSize(width: 1170, height: 780)),
        (PixelSize(width: 4000, height: 6000), PixelSize(width: 1170, height: 1755)),
        (PixelSize(width: 2000, height: 6000), PixelSize(width: 844, height: 2532)),
        (PixelSize(width: 100, height: 50), PixelSize(width: 100, height: 50)),
        (PixelSize(width: 1171, height: 10), PixelSize(width: 1170, height: 10)),
        (PixelSize(width: 65_000, height: 1), PixelSize(width: 1170, height: 1)),
    ])
    func picturesFitAndAreNeverEnlarged(picture: PixelSize, shown: PixelSize) {
        let fitted = picture.fitted(into: PixelSize(width: 1170, height: 2532))
        #expect(fitted == shown)
        #expect(picture.covers(fitted))
    }

    @Test func theDecoderScalesToTheSmallestSizeThatCovers() {
        let hero = PixelSize(width: 6000, height: 4000)
        let quarter = PixelSize(width: 1500, height: 1000)
        #expect(hero.smallestScaled(covering: PixelSize(width: 1170, height: 780)) == quarter)
        #expect(hero.smallestScaled(covering: quarter) == quarter)
        #expect(hero.smallestScaled(covering: PixelSize(width: 1501, height: 1000)).width == 2250)
        #expect(hero.smallestScaled(covering: hero) == hero)
    }

    @Test(arguments: [(0, 10), (10, -1), (70_000, 10)])
    func impossibleViewsAreRefused(width: Int, height: Int) {
        let settings = RenderSettings(viewWidth: width, viewHeight: height)
        let failure = #expect(throws: RenderFailure.self) { _ = try Framebuffer(settings) }
        #expect(failure?.code == .system)
    }
}
