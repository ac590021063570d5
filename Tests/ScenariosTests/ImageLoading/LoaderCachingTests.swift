// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageLoading
import MemProbe
import Origin
import Rendering
import Testing
import TrialKit
import URLSessionModes

@Suite("A loader's caches", .timeLimit(.minutes(5)))
struct LoaderCachingTests {
    private let view = ImageLoaderTests.view

    @Test("serve from files after a restart, and fetch again what was damaged meanwhile")
    func restart() async throws {
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

    @Test("ask whether what they have still holds, and take what came instead")
    func revalidation() async throws {
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

    @Test("hand out no picture of a version before the one that still holds")
    func twoViewsOfTwoVersions() async throws {
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

    @Test("stay below their limits however many pictures pass", arguments: [LoaderPolicy.best, .glideLike, .nuke])
    func limits(policy: LoaderPolicy) async throws {
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

    @Test(
        "make one request for fifty who ask at the same time, by the origin's own count",
        arguments: ["data", "download"])
    func originsCount(modeName: String) async throws {
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
