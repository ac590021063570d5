// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageLoading
import Rendering
import Testing

@Suite("A process with a file cache", .timeLimit(.minutes(5)))
struct KillTests {
    @Test("that is killed while it writes leaves no torn entry")
    func kill() async throws {
        try await withTemporaryFolder { folder in
            let byteCount = 2 << 20
            var partials = 0
            for _ in 0..<25 {
                try CacheFixture.killWriting(to: folder, byteCount: byteCount, after: .random(in: 0..<30_000))
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                partials += names.filter { $0.hasSuffix(".partial") }.count
                let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
                let kept = names.filter { $0.hasSuffix(".image") }.count
                #expect(cache.account.entryCount == kept)
                var found = 0
                for number in 0..<8 {
                    guard let image = await cache.image(for: ImageKey(url: "http://origin/\(number)"))?.encoded
                    else { continue }
                    #expect(try image.copied() == CacheFixture.body(number, byteCount: byteCount))
                    found += 1
                }
                #expect(found == kept)
                #expect(cache.damagedCount == 0)
                let left = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(left.filter { $0.hasSuffix(".partial") }.isEmpty)
            }
            // Otherwise nobody was killed while writing, and nothing was shown.
            #expect(partials > 0)
        }
    }

    @Test("pays for a hit that is mapped nothing, and for one that is copied its size")
    func cost() async throws {
        try await withTemporaryFolder { folder in
            let byteCount = 13 << 20
            do {
                let cache = try FileCache(folder: folder, limit: nil, reading: .copied)
                let body = CacheFixture.body(1, byteCount: byteCount)
                let image = EncodedImage(.memory(body), byteCount: byteCount)
                #expect(await cache.store(CachedImage(encoded: image), for: ImageKey(url: "http://origin/1")) == .kept)
            }
            func copies(_ reading: FileReading) throws -> Double {
                let result = try CacheFixture.run(CacheFixture.executable(), ["cost", folder, reading.rawValue])
                let growth = try #require(Int(result.text.trimmingCharacters(in: .newlines)))
                return Double(growth) / Double(byteCount)
            }
            #expect((0.0...0.02).contains(try copies(.mapped)))
            #expect((0.99...1.02).contains(try copies(.copied)))
        }
    }
}
