// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import Rendering
import Testing

@Suite("Two tiers", .timeLimit(.minutes(5)))
struct TieredCacheTests {
    private let key = ImageKey(url: "a", view: PixelSize(width: 10, height: 10))

    @Test("answer from the upper, or else from the lower, and are both handed what is stored")
    func tiers() async throws {
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

    @Test("say what the tier says that is for such an image")
    func outcomes() async throws {
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
