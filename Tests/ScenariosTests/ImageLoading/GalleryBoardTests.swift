// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageLoading
import Rendering
import Scenarios
import Testing
import TrialKit

@Suite(.timeLimit(.minutes(5)))
struct GalleryBoardTests {
    private static let view = PixelSize(width: 16, height: 16)
    private static let pictureCount = 24

    /// Scrolls at random until cells were reused so often, and stops for each tenth row until its pictures are there.
    ///
    /// On a busy machine, every picture could otherwise arrive after its cell was reused.
    private func scroll(_ board: GalleryBoard, rows: Int, reuses: Int) async throws {
        var random = SystemRandomNumberGenerator()
        for step in 1... {
            guard await board.counts.reuses < reuses else { break }
            await board.scroll(to: Int.random(in: 0...rows * 1000, using: &random))
            if step.isMultiple(of: 10) { #expect(try await eventually { await board.waitingCount == 0 }) }
            if Int.random(in: 0..<3, using: &random) > 0 { try await Task.sleep(for: .microseconds(200)) }
        }
        #expect(try await eventually { await board.waitingCount == 0 })
    }

    private func board(
        _ loader: ImageLoader, itemCount: Int, bodies: [String: [UInt8]], cancels: Bool, load: GalleryBoard.Load? = nil
    ) throws -> GalleryBoard {
        let items = try (0..<itemCount).map { number in
            let picture = number * 7 % Self.pictureCount
            let body = try #require(bodies["/\(picture)"])
            return GalleryBoard.Item(
                picture: picture, url: try ImageLoaderTests.url(picture).absoluteString,
                sha256: TestImages.sha256(body), shownByteCount: 4 * 16 * 12)
        }
        let urls = try (0..<Self.pictureCount).map { try ImageLoaderTests.url($0) }
        // A closure on the right of `??` that throws a type of its own crashes the compiler (Swift 6.3.1).
        let usual: GalleryBoard.Load = { item throws(LoadFailure) in
            try await loader.picture(at: urls[item.picture], for: Self.view)
        }
        return GalleryBoard(
            items: items, columns: 3, visibleRows: 4, cancels: cancels, checker: PictureChecker(loader.fingerprints),
            load: load ?? usual)
    }

    @Test(arguments: [LoaderPolicy.best, .glideLike, .kingfisher, .dictionary, .naive])
    func showsNoWrongPictureIn10000ReusesUnderEachPolicy(policy: LoaderPolicy) async throws {
        try await withTemporaryFolder { folder in
            var bodies = try ImageLoaderTests.bodies(Self.pictureCount, PixelSize(width: 64, height: 48))
            bodies["/7"] = Array("no picture".utf8)
            let origin = FakeOrigin(bodies, jitter: .microseconds(1500))
            var world = LoaderWorld(folder: folder)
            world.checksContent = true
            // Small enough that pictures are let go of and decoded again all the time.
            world.machine.screenByteCount = 10_000
            world.machine.memoryByteCount = 100_000
            world.fileLimit = 15_000
            let loader = try ImageLoader(policy, fetcher: origin, in: world)
            let board = try board(loader, itemCount: 300, bodies: bodies, cancels: policy.cancelling == .automatic)
            try await scroll(board, rows: 96, reuses: 10_000)
            // On a busy machine, loads of the item that is not a picture may all have been cancelled until now.
            await board.scroll(to: 0)
            #expect(try await eventually { await board.waitingCount == 0 })
            let counts = await board.counts
            #expect(counts.wrong == 0)
            #expect(counts.reuses >= 10_000)
            #expect(counts.shown > 500)
            #expect(counts.fallbacks > 0)
            #expect(counts.mostVisibleBytes > 0 && counts.mostVisibleBytes <= 15 * 4 * 16 * 12)
            await board.clear()
            #expect(try await eventually { loader.journal.counts.running == 0 })
        }
    }

    @Test(arguments: ["url", "bytes", "pixels"])
    func noticesAPictureOfAnotherURLOfOtherBytesAndWithOtherPixels(kind: String) async throws {
        try await withTemporaryFolder { folder in
            let bodies = try ImageLoaderTests.bodies(Self.pictureCount, PixelSize(width: 64, height: 48))
            var world = LoaderWorld(folder: folder)
            world.checksContent = true
            let origin = FakeOrigin(bodies)
            // The origin mixes up two bodies: the URL is right, and what it brings is another's.
            if kind == "bytes" {
                for number in 0..<24 { origin.replace("/\(number)", by: bodies["/\((number + 1) % 24)"] ?? []) }
            }
            let loader = try ImageLoader(.best, fetcher: origin, in: world)
            let urls = try (0..<Self.pictureCount).map { try ImageLoaderTests.url($0) }
            let board = try board(loader, itemCount: 60, bodies: bodies, cancels: true) { item throws(LoadFailure) in
                let number = kind == "url" ? (item.picture + 1) % Self.pictureCount : item.picture
                let picture = try await loader.picture(at: urls[number], for: Self.view)
                if kind == "pixels" { picture.bitmap.withPixels { $0.row(0)[0] = Pixel(1, 2, 3, 255) } }
                return picture
            }
            await board.scroll(to: 0)
            #expect(try await eventually { await board.waitingCount == 0 })
            let counts = await board.counts
            #expect(counts.shown == 12)
            #expect(counts.wrong == 12)
        }
    }

    @Test func tellsWhatCannotBeHadFromWhatCannotBeDecoded() async throws {
        try await withTemporaryFolder { folder in
            let bodies = try ImageLoaderTests.bodies(Self.pictureCount, PixelSize(width: 64, height: 48))
            var served = bodies
            // Of the twelve in sight: 0, 7, 14, 21, 4, 11, 18, 1, 8, 15, 22, 5.
            for number in [7, 21, 22] { served["/\(number)"] = nil }
            served["/4"] = Array("no picture".utf8)
            var world = LoaderWorld(folder: folder)
            world.checksContent = true
            let loader = try ImageLoader(.best, fetcher: FakeOrigin(served), in: world)
            let board = try board(loader, itemCount: 60, bodies: bodies, cancels: true)
            await board.scroll(to: 0)
            #expect(try await eventually { await board.waitingCount == 0 })
            let counts = await board.counts
            #expect(counts.shown == 8)
            #expect(counts.failures == 3)
            #expect(counts.firstFailure == "\(FetchFailure.Code.httpStatus.rawValue): status 404")
            #expect(counts.fallbacks == 1)
            #expect(counts.undecoded == 1)
            #expect(loader.journal.counts.failures == 3)
            #expect(loader.journal.counts.firstFailure == counts.firstFailure)
            #expect(loader.journal.counts.undecodable == 1)
        }
    }

    @Test func countsNoFailureOfWhatWasCancelledAndNoFallbackOfIt() async throws {
        try await withTemporaryFolder { folder in
            let bodies = try ImageLoaderTests.bodies(Self.pictureCount, PixelSize(width: 64, height: 48))
            let origin = FakeOrigin(bodies)
            origin.shut()
            var world = LoaderWorld(folder: folder)
            world.checksContent = true
            let loader = try ImageLoader(.best, fetcher: origin, in: world)
            let board = try board(loader, itemCount: 96, bodies: bodies, cancels: true)
            await board.scroll(to: 0)
            #expect(try await eventually { origin.waiting == LoaderPolicy.best.downloadsAtOnce })
            await board.scroll(to: 20_000)
            // More if a slot becomes free before the last cell is reused: the next load in line gets it.
            #expect(try await eventually { origin.cancelled >= LoaderPolicy.best.downloadsAtOnce ?? 1 })
            origin.open()
            #expect(try await eventually { await board.waitingCount == 0 })
            let counts = await board.counts
            let left = (0..<12).compactMap { origin.requests["/\($0 * 7 % Self.pictureCount)"] }
            #expect(origin.cancelled == left.reduce(0, +) && origin.cancelled <= 12)
            #expect(counts.shown == 12)
            #expect(counts.failures == 0 && counts.fallbacks == 0)
            #expect(loader.journal.counts.failures == 0)
        }
    }

    @Test func countsAsShownEachPictureOnceHoweverManyCellsShowIt() async throws {
        try await withTemporaryFolder { folder in
            let bodies = try ImageLoaderTests.bodies(Self.pictureCount, PixelSize(width: 64, height: 48))
            var world = LoaderWorld(folder: folder)
            world.checksContent = true
            let loader = try ImageLoader(.sdWebImage, fetcher: FakeOrigin(bodies), in: world)
            let board = try board(loader, itemCount: 96, bodies: bodies, cancels: true)
            for row in [0, 10, 20, 28, 0] {
                await board.scroll(to: row * 1000)
                #expect(try await eventually { await board.waitingCount == 0 })
            }
            let counts = await board.counts
            #expect(counts.shownObjects.values.allSatisfy { $0 == 1 })
            #expect(counts.shownObjects.count == Self.pictureCount)
            #expect(loader.journal.counts.completedByURL == counts.shownObjects)
        }
    }
}

/// Scrolling as a user does it.
struct GalleryTraceTests {
    private func trace(_ seed: UInt64) -> GalleryTrace {
        GalleryTrace(seed: seed, pictures: 25, rounds: 3, columns: 3, visibleRows: 4)
    }

    @Test func isTheSameForTheSameSeedAndAnotherForAnother() {
        #expect(trace(7) == trace(7))
        #expect(trace(7).offsets != trace(8).offsets)
        #expect(trace(7).items != trace(8).items)
    }

    @Test func staysInTheListEndsWhereItRestsAndLastsSomeSeconds() throws {
        for seed in 0..<200 {
            let trace = trace(UInt64(seed))
            #expect(trace.items.count == 75)
            for round in 0..<3 { #expect(Set(trace.items[round * 25..<(round + 1) * 25]).count == 25) }
            // 25 rows of three, of which four are visible.
            #expect(trace.offsets.allSatisfy { (0...21_000).contains($0) })
            #expect(trace.offsets.last.map { $0 % 1000 == 0 || trace.offsets.contains($0) } == true)
            let seconds = Double(trace.offsets.count * GalleryTrace.stepNanoseconds) / 1e9
            #expect((1.0...8.0).contains(seconds))
            #expect(trace.lines.count == trace.offsets.count + 1)
            // The last picture of the list's pictures is one of the twelve that are wholly visible at the end.
            let stop = try #require(trace.offsets.last) / 1000 * 3
            #expect(trace.items[stop..<stop + 12].contains(24))
        }
    }

    @Test func isStoredWithThePicturesFirstThenAStepALine() {
        let lines = trace(1).lines
        #expect(lines[0].hasPrefix("pictures "))
        #expect(lines[1] == "after 0 ms row 0.000")
        #expect(lines[2].hasPrefix("after 20 ms row "))
    }
}
