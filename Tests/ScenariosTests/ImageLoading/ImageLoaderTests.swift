// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageLoading
import Rendering
import Testing
import TrialKit

@Suite(.timeLimit(.minutes(5)))
struct ImageLoaderTests {
    static let view = PixelSize(width: 100, height: 100)

    /// Bodies of so many pictures, each of its own colour, at `/0`, `/1` and so on.
    static func bodies(_ count: Int, _ size: PixelSize = PixelSize(width: 320, height: 240)) throws -> [String: [UInt8]]
    {
        var bodies: [String: [UInt8]] = [:]
        for number in 0..<count { bodies["/\(number)"] = try TestImages.jpeg(TestImages.colour(number), size) }
        return bodies
    }

    static func url(_ number: Int) throws -> URL {
        try #require(URL(string: "http://origin/\(number)"))
    }

    @Test(arguments: LoaderPolicy.all) func eachPolicyShowsTheRightPicture(policy: LoaderPolicy) async throws {
        for toFiles in [true, false] {
            try await withTemporaryFolder { folder in
                let ledger = BitmapLedger()
                let origin = FakeOrigin(try Self.bodies(3), toFiles: toFiles)
                let loader = try ImageLoader(policy, fetcher: origin, in: LoaderWorld(folder: folder, ledger: ledger))
                for number in [0, 1, 2, 0] {
                    let picture = try await loader.picture(at: Self.url(number), for: Self.view)
                    #expect(picture.shows(TestImages.colour(number)))
                    #expect(try picture.url == Self.url(number).absoluteString)
                    let expected = policy.downsampling == .toView ? (100, 75) : (320, 240)
                    #expect((picture.bitmap.size.width, picture.bitmap.size.height) == expected)
                }
                #expect(origin.requests["/0"] == (policy.memory == nil ? 2 : 1))
                #expect(loader.journal.counts.memoryHits == (policy.memory == nil ? 0 : 1))
                #expect(loader.journal.counts.requests == origin.requests.values.reduce(0, +))
                // The task that made the last picture may hold its result a moment longer than the caller.
                #expect(try await eventually { ledger.liveByteCount == loader.memory?.account.byteCount ?? 0 })
                // Nothing but entries and the lock stays in a folder.
                let left = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
                #expect(left.allSatisfy { $0.hasSuffix(".image") || $0.hasSuffix("lock") || $0 == "images" })
            }
        }
    }

    @Test func makesOneRequestAndOneDecodeForFiftyWhoAskAtTheSameTime() async throws {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(try Self.bodies(1))
            origin.shut()
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            let askers = (0..<50).map { _ in Task { try await loader.picture(at: Self.url(0), for: Self.view) } }
            #expect(try await eventually { origin.waiting == 1 })
            askers[3].cancel()
            guard case .failure = await askers[3].result else { throw CancellationError() }
            origin.open()
            var bitmaps: Set<ObjectIdentifier> = []
            for (number, asker) in askers.enumerated() where number != 3 {
                bitmaps.insert(ObjectIdentifier(try await asker.value.bitmap))
            }
            #expect(bitmaps.count == 1)
            #expect(origin.requests == ["/0": 1])
            #expect(loader.journal.counts.decodes == 1)
        }
    }

    @Test func withoutSharingMakesARequestForEach() async throws {
        try await withTemporaryFolder { folder in
            var policy = LoaderPolicy.best
            policy.coalesces = false
            policy.downloadsAtOnce = nil
            let origin = FakeOrigin(try Self.bodies(1))
            origin.shut()
            let loader = try ImageLoader(policy, fetcher: origin, in: LoaderWorld(folder: folder))
            let askers = (0..<12).map { _ in Task { try await loader.picture(at: Self.url(0), for: Self.view) } }
            #expect(try await eventually { origin.waiting == 12 })
            origin.open()
            for asker in askers { _ = try await asker.value }
            #expect(origin.requests == ["/0": 12])
        }
    }

    @Test func sharesAFetchBetweenViewsOfDifferentSizesAndDecodesForEach() async throws {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(try Self.bodies(1))
            origin.shut()
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            let sizes = [50, 100, 150].map { PixelSize(width: $0, height: $0) }
            let askers = sizes.map { size in Task { try await loader.picture(at: Self.url(0), for: size) } }
            for _ in 0..<200 { await Task.yield() }
            #expect(try await eventually { origin.waiting == 1 })
            origin.open()
            for (asker, size) in zip(askers, sizes) { #expect(try await asker.value.bitmap.size.width == size.width) }
            #expect(origin.requests == ["/0": 1])
        }
    }

    @Test(arguments: LoaderPolicy.all) func cancelsAFetchThatNobodyWaitsForWhereItsPolicyDoes(policy: LoaderPolicy)
        async throws
    {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(try Self.bodies(1))
            origin.shut()
            let loader = try ImageLoader(policy, fetcher: origin, in: LoaderWorld(folder: folder))
            let asker = Task { try await loader.picture(at: Self.url(0), for: Self.view) }
            #expect(try await eventually { origin.waiting == 1 })
            asker.cancel()
            let result = await asker.result
            #expect(throws: LoadFailure.cancelled) { try result.get() }
            let isAutomatic = policy.cancelling == .automatic
            if isAutomatic { #expect(try await eventually { origin.cancelled == 1 }) }
            #expect(origin.waiting == (isAutomatic ? 0 : 1))
            origin.open()
            #expect(try await eventually { loader.journal.counts.running == 0 })
            if !isAutomatic { #expect(try await eventually { loader.journal.counts.decodes == 1 }) }
            #expect(loader.journal.counts.failures == 0)
        }
    }

    @Test func countsWhatAModeThatCannotBeStoppedFetchesForNobody() async throws {
        try await withTemporaryFolder { folder in
            let bodies = try Self.bodies(1)
            let origin = FakeOrigin(bodies, honouringCancellation: false)
            origin.shut()
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            let asker = Task { try await loader.picture(at: Self.url(0), for: Self.view) }
            #expect(try await eventually { origin.waiting == 1 })
            asker.cancel()
            _ = await asker.result
            #expect(loader.journal.counts.running == 1)
            origin.open()
            #expect(try await eventually { loader.journal.counts.running == 0 })
            #expect(loader.journal.counts.ranOn == 1)
            #expect(loader.journal.counts.decodes == 0)
            // Paid for, and kept for who asks next.
            #expect(try await eventually { loader.files?.account.entryCount == 1 })
        }
    }

    @Test(arguments: [LoaderPolicy.sdWebImage, .kingfisher, .best])
    func givesNoSlotToOthersWhileAFetchThatCannotBeStoppedIsInIt(policy: LoaderPolicy) async throws {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(try Self.bodies(40), honouringCancellation: false)
            origin.shut()
            var policy = policy
            policy.cancelling = .automatic
            let most = try #require(policy.downloadsAtOnce)
            let loader = try ImageLoader(policy, fetcher: origin, in: LoaderWorld(folder: folder))
            let leaving = (0..<20).map { number in
                Task { try await loader.picture(at: Self.url(number), for: Self.view) }
            }
            #expect(try await eventually { origin.waiting == most })
            for asker in leaving { asker.cancel() }
            for asker in leaving { _ = await asker.result }
            let staying = (20..<40).map { number in
                Task { try await loader.picture(at: Self.url(number), for: Self.view) }
            }
            #expect(try await eventually { loader.loadsUnderWay == 20 })
            // A caller that finds a slot starts its fetch.
            try await Task.sleep(for: .milliseconds(50))
            #expect(origin.waiting == most)
            origin.open()
            for (number, asker) in zip(20..., staying) {
                #expect(try await asker.value.shows(TestImages.colour(number)))
            }
            #expect(loader.journal.counts.mostRunning == most)
        }
    }

    @Test func decodesTogetherWhatItsMemoryForThatHasRoomFor() async throws {
        try await withTemporaryFolder { folder in
            // 4 · 320 · 240 = 307,200 bytes each where nothing is scaled down.
            var policy = LoaderPolicy.best
            policy.downsampling = .none
            policy.decodes = .atMost(8)
            policy.memory = nil
            for (screen, most) in [(100_000, 1), (700_000, 2), (4_000_000, 8)] {
                let origin = FakeOrigin(try Self.bodies(24))
                var world = LoaderWorld(folder: "\(folder)/\(screen)")
                try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
                world.machine.screenByteCount = screen
                let loader = try ImageLoader(policy, fetcher: origin, in: world)
                let askers = (0..<24).map { number in
                    Task { try await loader.picture(at: Self.url(number), for: Self.view) }
                }
                for asker in askers { _ = try await asker.value }
                let counts = loader.journal.counts
                #expect(counts.decodes == 24)
                #expect((1...most).contains(counts.mostDecoding))
                #expect(counts.mostDecodingBytes <= max(screen, 307_200))
                // The size of one scaled to its view, whatever this policy does: 3/8 of 320 × 240.
                #expect(counts.mostForOnePicture == 4 * 120 * 90)
            }
        }
    }

    @Test(arguments: LoaderPolicy.all) func fetchesAndDecodesAsManyAtOnceAsItsPolicyLetsIt(policy: LoaderPolicy)
        async throws
    {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(try Self.bodies(24))
            origin.shut()
            let loader = try ImageLoader(policy, fetcher: origin, in: LoaderWorld(folder: folder))
            let askers = (0..<24).map { number in
                Task { try await loader.picture(at: Self.url(number), for: Self.view) }
            }
            #expect(try await eventually { origin.waiting == policy.downloadsAtOnce ?? 24 })
            origin.open()
            for asker in askers { _ = try await asker.value }
            let counts = loader.journal.counts
            #expect(counts.mostRunning == policy.downloadsAtOnce ?? 24)
            let decodes =
                switch policy.decodes {
                case .none: 24
                case .withDownload: policy.downloadsAtOnce ?? 24
                case .atMost(let count): count
                }
            #expect((1...decodes).contains(counts.mostDecoding))
            #expect(counts.decodes == 24)
        }
    }

    @Test func saysOfBytesThatAreNoPictureThatTheyAreNoneEachTime() async throws {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(["/0": Array("no picture".utf8)])
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            for _ in 0..<2 {
                await #expect {
                    _ = try await loader.picture(at: Self.url(0), for: Self.view)
                } throws: { error in
                    if case LoadFailure.render(let failure) = error { failure.code == .notAnImage } else { false }
                }
            }
            await #expect(throws: LoadFailure.fetch(FetchFailure(.httpStatus, "status 404"))) {
                _ = try await loader.picture(at: Self.url(1), for: Self.view)
            }
            #expect(loader.journal.counts.undecodable == 2)
            #expect(loader.journal.counts.failures == 1)
        }
    }
}
