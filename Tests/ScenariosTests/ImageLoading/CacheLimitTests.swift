// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import MemProbeTesting
import Rendering
import Testing

/// What a cache may hold at most, as limits of tests: each in a process of its own.
struct CacheLimitTests {
    /// A picture whose pages are all resident: 256 KiB.
    private static func painted(_ number: Int) throws -> CachedImage {
        let image = try TestImages.picture("\(number)", side: 256)
        image.picture?.bitmap.withPixels { rows in
            rows.start.update(repeating: TestImages.colour(number), count: rows.width * rows.height)
        }
        return image
    }

    /// 50 MiB of pictures go through it.
    @Test(.peakMemory(under: "size + 2 MiB", size: .mebibytes(8)))
    func aMemoryCacheHoldsNoMoreThanItsLimit() throws {
        let cache = MemoryCache(limit: 8 << 20)
        for number in 0..<200 { cache.store(try Self.painted(number), for: ImageKey(url: "\(number)")) }
        #expect(cache.account.cost == 8 << 20)
    }

    @Test(.leakLimit(bytesPerRepetition: 32, repetitions: 100))
    func whatACacheLetsGoOfIsFreed() throws {
        let cache = MemoryCache(limit: 3 << 18)
        for number in 0..<5 { cache.store(try Self.painted(number), for: ImageKey(url: "\(number)")) }
        #expect(cache.keys.count == 3)
    }
}
