// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageLoading
import MemProbe
import Origin
import Rendering
import Scenarios
import Testing
import TrialKit
import URLSessionModes

struct LoaderPolicyTests {
    /// A phone of 6 GiB with a screen of 1170 × 2532 pixels.
    private let machine = LoaderPolicy.Machine(screenByteCount: 4 * 1170 * 2532)

    @Test func areThoseOfTheTableInItsOrder() {
        #expect(
            LoaderPolicy.all.map(\.name) == [
                "kingfisher", "nuke", "sdwebimage", "glide-like", "dictionary", "naive", "best",
            ])
        #expect(
            LoaderPolicy.all.map(\.buffer) == [.appended, .reserved, .reserved, .file, .reserved, .reserved, .file])
        #expect(LoaderPolicy.all.map(\.downloadsAtOnce) == [6, 6, 6, 4, nil, nil, 5])
        #expect(
            LoaderPolicy.all.map(\.decodes) == [
                .withDownload, .atMost(2), .withDownload, .atMost(4), .withDownload, .none, .atMost(2),
            ])
        #expect(
            LoaderPolicy.all.map(\.cancelling) == [
                .manual, .automatic, .automatic, .automatic, .none, .none, .automatic,
            ])
        #expect(LoaderPolicy.all.map(\.files) == [.copied, .copied, .copied, .mapped, nil, nil, .mapped])
        #expect(LoaderPolicy.all.map(\.coalesces) == [true, true, true, true, false, false, true])
        #expect(LoaderPolicy.all.map(\.downsampling) == [.none, .none, .none, .toView, .none, .none, .toView])
    }

    @Test func limitTheirMemoryCachesAsTheLibrariesDoOnAPhone() {
        let limits = LoaderPolicy.all.map { $0.memory?.limit.byteCount(on: machine) }
        #expect(limits[0] == (6 << 30) / 100 * 25)
        #expect(limits[1] == 768 << 20)
        #expect(limits[2] == .some(nil))
        #expect(limits[3] == 2 * 4 * 1170 * 2532)
        #expect(limits[4] == .some(nil), "the dictionary keeps everything")
        #expect(LoaderPolicy.naive.memory == nil)
        #expect(limits[6] == 2 * 1170 * 2532)
        var small = machine
        small.memoryByteCount = 1 << 30
        #expect(LoaderPolicy.nuke.memory?.limit.byteCount(on: small) == (1 << 30) / 100 * 15)
        #expect(LoaderPolicy.nuke.memory?.cost == .decodedAndEncoded)
        #expect(LoaderPolicy.kingfisher.memory?.lifetimeSeconds == 300)
    }

    @Test func limitWhatDecodesHoldTogetherNowhereButInOurs() {
        let limits = LoaderPolicy.all.map { $0.decodeMemory.byteCount(on: machine) }
        #expect(limits == [nil, nil, nil, nil, nil, nil, 4 * 1170 * 2532])
    }

    @Test(arguments: LoaderPolicy.all) func canBePlayedByTheModeThatIsClosestToEach(policy: LoaderPolicy) throws {
        let mode = try #require(URLSessionCatalog.all.first { $0.name == policy.closestMode })
        #expect(mode.yieldsBody)
        let scenarios = ScenarioCatalog.all.filter { $0.loaders.contains { $0.name == policy.name } }
        #expect(scenarios.map(\.name).sorted() == ["cache", "coalesce", "gallery"])
        for scenario in scenarios {
            #expect(scenario.needs.abilities.isSubset(of: mode.abilities), "\(scenario.name) by \(mode.name)")
        }
    }

    @Test func areCalledModelsAndSayWhereEachFigureWasRead() {
        for policy in LoaderPolicy.all {
            #expect(policy.title.hasSuffix("(model)"))
            #expect(!policy.figures.isEmpty)
            #expect(policy.figures.allSatisfy { !$0.source.isEmpty && !$0.text.isEmpty })
            #expect(LoaderPolicy.named(policy.name) == policy)
        }
        #expect(LoaderPolicy.kingfisher.title == "policy of Kingfisher (model)")
        #expect(LoaderPolicy.kingfisher.figures.first?.source == "Kingfisher 8.x, read 2026-07")
        #expect(LoaderPolicy.nuke.figures.first?.source == "Nuke 12/13, read 2026-08")
        #expect(LoaderPolicy.sdWebImage.figures.first?.source == "SDWebImage 5.x, read 2025-12")
        #expect(LoaderPolicy.named("Kingfisher") == nil)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LoaderCachingTests {
    private let view = ImageLoaderTests.view

    @Test func serveFromFilesAfterARestart() async throws {
        try await withTemporaryFolder { folder in
            let origin = FakeOrigin(try ImageLoaderTests.bodies(3))
            do {
                let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
                for number in 0..<3 {
                    _ = try await loader.picture(at: ImageLoaderTests.url(number), for: view)
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/images")
            let entry = try #require(names.first { $0.hasSuffix(".image") })
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(folder)/images/\(entry)"))
            try file.seek(toOffset: 700)
            try file.write(contentsOf: Data([0, 1, 2, 3]))
            try file.close()
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            for number in 0..<3 {
                let picture = try await loader.picture(at: ImageLoaderTests.url(number), for: view)
                #expect(picture.shows(TestImages.colour(number)))
            }
            #expect(loader.journal.counts.fileHits == 2)
            #expect(loader.journal.counts.requests == 1)
            #expect(loader.files?.damagedCount == 1)
            #expect(origin.requests.values.sorted() == [1, 1, 2])
        }
    }

    @Test func askWhetherWhatTheyHaveStillHoldsAndTakeWhatCameInstead() async throws {
        try await withTemporaryFolder { folder in
            let bodies = try ImageLoaderTests.bodies(2)
            let origin = FakeOrigin(bodies)
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            let url = try ImageLoaderTests.url(0)
            _ = try await loader.picture(at: url, for: view)
            let fetched = loader.journal.counts.fetchedByteCount
            #expect(try await loader.picture(at: url, for: view, .revalidated).shows(TestImages.colour(0)))
            #expect(loader.journal.counts.revalidated == 1)
            #expect(loader.journal.counts.fetchedByteCount == fetched)
            origin.replace("/0", by: try #require(bodies["/1"]))
            #expect(try await loader.picture(at: url, for: view, .revalidated).shows(TestImages.colour(1)))
            #expect(try await loader.picture(at: url, for: view).shows(TestImages.colour(1)))
            #expect(loader.journal.counts.revalidated == 1)
            #expect(try await loader.picture(at: url, for: view, .reloaded).shows(TestImages.colour(1)))
            #expect(origin.requests == ["/0": 4])
        }
    }

    @Test func handOutNoPictureOfAVersionBeforeTheOneThatStillHolds() async throws {
        try await withTemporaryFolder { folder in
            let bodies = try ImageLoaderTests.bodies(2)
            let origin = FakeOrigin(bodies)
            let loader = try ImageLoader(.best, fetcher: origin, in: LoaderWorld(folder: folder))
            let url = try ImageLoaderTests.url(0)
            let views = [50, 100].map { PixelSize(width: $0, height: $0) }
            for view in views {
                #expect(try await loader.picture(at: url, for: view).shows(TestImages.colour(0)))
            }
            origin.replace("/0", by: try #require(bodies["/1"]))
            for view in views {
                #expect(try await loader.picture(at: url, for: view, .revalidated).shows(TestImages.colour(1)))
            }
            // The second was answered without a body, of which the picture in memory is not.
            #expect(loader.journal.counts.revalidated == 1)
            #expect(loader.journal.counts.decodes == 4)
            for view in views {
                #expect(try await loader.picture(at: url, for: view, .revalidated).shows(TestImages.colour(1)))
            }
            #expect(loader.journal.counts.decodes == 4)
        }
    }

    @Test(arguments: [LoaderPolicy.best, .glideLike, .nuke])
    func stayBelowTheirLimitsHoweverManyPicturesPass(policy: LoaderPolicy) async throws {
        try await withTemporaryFolder { folder in
            let ledger = BitmapLedger()
            var world = LoaderWorld(folder: folder, ledger: ledger, fileLimit: 18_000)
            world.machine.screenByteCount = 200_000
            world.machine.memoryByteCount = 8_000_000
            let bodies = try ImageLoaderTests.bodies(24)
            let origin = FakeOrigin(bodies)
            let loader = try ImageLoader(policy, fetcher: origin, in: world)
            for step in 0..<100 {
                let picture = try await loader.picture(at: ImageLoaderTests.url(step * 7 % 24), for: view)
                #expect(picture.shows(TestImages.colour(step * 7 % 24)))
            }
            let (memory, files) = (try #require(loader.memory?.account), try #require(loader.files?.account))
            // A page at most is lost to rounding for each bitmap.
            let limit = try #require(memory.limit)
            #expect(memory.highestByteCount <= limit + 4096 * memory.entryCount)
            #expect(memory.entryCount > 1)
            // One download at a time lies beside the entries: a body, and what stands behind it in the end.
            let largest = try #require(bodies.values.map(\.count).max())
            #expect((1...largest + 200).contains(files.overshoot))
            #expect(files.byteCount <= 18_000)
            #expect(files.entryCount > 1)
            #expect(ledger.liveByteCount == memory.byteCount)
        }
    }

    @Test(arguments: ["data", "download"]) func makeOneRequestForFiftyCallersAtTheSameTime(modeName: String)
        async throws
    {
        let mode = try #require(URLSessionCatalog.all.first { $0.name == modeName })
        let jpeg = try TestImages.jpeg(TestImages.colour(5), PixelSize(width: 600, height: 400))
        try await withTemporaryFolder { folder in
            let factory = ImageFactory(
                generatorVersion: 1, encoderVersion: { _ in "test 1" },
                encode: { _ in LibraryImage.Encoded(bytes: jpeg, pixelsSHA256: "") }, facts: { _ in nil },
                header: { _ in ImageHeader(width: 6000, height: 4000, frame: .baseline) })
            let library = AssetLibrary(cacheDirectory: folder + "/assets", factory: factory)
            let origin = try await OriginServer.start(OriginConfiguration(library: library))
            let fetcher = try mode.makeFetcher(FetchSettings(verification: .length, idleTimeoutSeconds: 200))
            let url = try #require(URL(string: origin.baseURL + "/assets/hero.jpg"))
            let loader = try ImageLoader(.best, fetcher: fetcher, in: LoaderWorld(folder: folder))
            let askers = (0..<50).map { _ in Task { try await loader.picture(at: url, for: view) } }
            for asker in askers { #expect(try await asker.value.shows(TestImages.colour(5))) }
            #expect(origin.statistics().requests == 1)
            #expect(origin.statistics().bytesSent.rawValue == jpeg.count)
            // Still true: the origin says so without a body.
            loader.memory?.removeAll()
            #expect(try await loader.picture(at: url, for: view, .revalidated).shows(TestImages.colour(5)))
            #expect(loader.journal.counts.revalidated == 1)
            #expect(origin.statistics().requests == 2)
            #expect(origin.statistics().bytesSent.rawValue == jpeg.count)
            await fetcher.invalidate()
            try await origin.stop()
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct TieredCacheTests {
    private let key = ImageKey(url: "a", view: PixelSize(width: 10, height: 10))

    @Test func answerFromTheUpperTierOrElseFromTheLower() async throws {
        try await withTemporaryFolder { folder in
            let memory = MemoryCache(limit: nil)
            let files = try FileCache(folder: folder, limit: nil, reading: .mapped)
            let tiers = TieredCache(memory, above: files)
            #expect(await tiers.image(for: key) == nil)
            #expect(await tiers.store(TestImages.encoded(1, count: 100), for: key) == .kept)
            let below = try #require(await tiers.image(for: key))
            #expect(try below.encoded?.copied() == [UInt8](repeating: 1, count: 100))
            #expect(below.picture == nil)
            // One original for all views.
            #expect(await tiers.image(for: ImageKey(url: "a"))?.encoded != nil)
            #expect(await tiers.store(try TestImages.picture("a", side: 32), for: key) == .kept)
            #expect(await tiers.image(for: key)?.picture != nil)
            #expect(await tiers.image(for: ImageKey(url: "a"))?.picture == nil)
            let account = await tiers.account
            #expect(account.entryCount == 2)
            #expect(account.byteCount == 4096 + 100 + 88 + 1)
            #expect(account.limit == nil)
            await tiers.remove(key)
            #expect(await tiers.account.byteCount == 0)
        }
    }

    @Test func sayWhatTheTierSaysThatIsForSuchAnImage() async throws {
        try await withTemporaryFolder { folder in
            let files = try FileCache(folder: folder, limit: 1000, reading: .mapped)
            let tiers = TieredCache(MemoryCache(limit: 1000), above: files)
            #expect(await tiers.store(TestImages.encoded(1, count: 1000), for: key) == .tooLarge)
            #expect(await tiers.store(try TestImages.picture("a", side: 100), for: key) == .tooLarge)
            #expect(await tiers.store(CachedImage(), for: key) == .nothingToKeep)
            #expect(await tiers.account.limit == 2000)
            #expect(await TieredCache(NoCache(), above: NoCache()).image(for: key) == nil)
        }
    }
}
