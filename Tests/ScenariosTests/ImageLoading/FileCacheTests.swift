// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ImageLoading
import MemProbeTesting
import Rendering
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileCacheTests {
    private func key(_ name: String) -> ImageKey { ImageKey(url: "http://origin/\(name)") }

    private func entries(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }.sorted()
    }

    private func file(of name: String, in folder: String) async throws -> String {
        let before = try entries(in: folder)
        let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
        await cache.store(TestImages.encoded(9, count: 1000), for: key(name))
        let new = try entries(in: folder).first { !before.contains($0) }
        return try folder + "/" + #require(new)
    }

    @Test(arguments: [FileReading.mapped, .copied])
    func handsOutWhatItWasHandedMappedOrCopied(reading: FileReading) async throws {
        try await withTemporaryFolder { folder in
            let cache = try FileCache(folder: folder, limit: nil, reading: reading)
            #expect(await cache.image(for: key("a")) == nil)
            #expect(await cache.store(TestImages.encoded(1, count: 100_000, tag: "\"t\""), for: key("a")) == .kept)
            let image = try #require(await cache.image(for: key("a"))?.encoded)
            #expect(try image.copied() == [UInt8](repeating: 1, count: 100_000))
            #expect(image.entityTag == "\"t\"")
            #expect(image.byteCount == 100_000)
            // A replaced or removed entry is still whole for whoever holds it.
            #expect(await cache.store(TestImages.encoded(2, count: 50), for: key("a")) == .kept)
            await cache.remove(key("a"))
            #expect(try image.copied() == [UInt8](repeating: 1, count: 100_000))
            #expect(await cache.image(for: key("a")) == nil)
            #expect(cache.account.byteCount == 0)
            #expect(try entries(in: folder).isEmpty)
        }
    }

    @Test func keepsAnEmptyBodyApartFromNone() async throws {
        try await withTemporaryFolder { folder in
            let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
            await cache.store(TestImages.encoded(1, count: 0), for: key("a"))
            #expect(try await cache.image(for: key("a"))?.encoded?.copied() == [])
        }
    }

    @Test func letsGoOfExactlyThoseUsedLongestAgoAndIsNeverAboveItsLimit() async throws {
        try await withTemporaryFolder { folder in
            let size = 10_000 + 88 + key("0").url.utf8.count
            let cache = try FileCache(folder: folder, limit: 3 * size, reading: .mapped)
            for name in ["0", "1", "2"] { await cache.store(TestImages.encoded(1, count: 10_000), for: key(name)) }
            #expect(cache.account.byteCount == 3 * size)
            _ = await cache.image(for: key("0"))
            await cache.store(TestImages.encoded(1, count: 10_000), for: key("3"))
            #expect(await cache.image(for: key("1")) == nil)
            for name in ["0", "2", "3"] { #expect(await cache.image(for: key(name)) != nil) }
            #expect(await cache.store(TestImages.encoded(1, count: 3 * size), for: key("4")) == .tooLarge)
            #expect(cache.account.entryCount == 3)
            #expect(cache.account.highestByteCount == 3 * size)
            #expect(cache.account.overshoot == 0)
        }
    }

    @Test(arguments: ["0", "1", "2"]) func letsNothingGoForANewVersionOfWhatItHas(name: String) async throws {
        try await withTemporaryFolder { folder in
            let size = 10_000 + 88 + key("0").url.utf8.count
            let cache = try FileCache(folder: folder, limit: 3 * size, reading: .mapped)
            for name in ["0", "1", "2"] { await cache.store(TestImages.encoded(1, count: 10_000), for: key(name)) }
            #expect(await cache.store(TestImages.encoded(2, count: 10_000), for: key(name)) == .kept)
            for other in ["0", "1", "2"] {
                let image = try #require(await cache.image(for: key(other))?.encoded)
                #expect(try image.copied().first == (other == name ? 2 : 1))
            }
            #expect(cache.account.byteCount == 3 * size)
            // One that is larger takes the room of the one used longest ago, not its own.
            #expect(await cache.store(TestImages.encoded(3, count: 15_000), for: key(name)) == .kept)
            #expect(cache.account.entryCount == 2)
            #expect(try await cache.image(for: key(name))?.encoded?.copied().first == 3)
            // Both versions lay there for a moment.
            #expect(cache.account.overshoot > 0 && cache.account.overshoot <= size + 5000)
        }
    }

    @Test func countsWhatIsBeingWrittenAboveItsLimit() async throws {
        try await withTemporaryFolder { folder in
            let size = 10_000 + 88 + key("0").url.utf8.count
            let cache = try FileCache(folder: folder, limit: 3 * size, reading: .mapped)
            for name in ["0", "1", "2"] { await cache.store(TestImages.encoded(1, count: 10_000), for: key(name)) }
            let paths = [7000, 5000].map { count in
                let path = cache.partialPath()
                #expect(FileManager.default.createFile(atPath: path, contents: Data(count: count)))
                return path
            }
            for path in paths { cache.discard(path) }
            #expect(cache.account.overshoot == 12_000)
            #expect(try entries(in: folder).count == 3)
            await cache.store(TestImages.encoded(1, count: 10_000), for: key("3"))
            #expect(cache.account.highestByteCount == 3 * size + 12_000)
        }
    }

    @Test func isNotAboveItsLimitWhenManyWriteAtOnce() async throws {
        try await withTemporaryFolder { folder in
            let cache = try FileCache(folder: folder, limit: 500_000, reading: .mapped)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask { [self] in
                        let image = TestImages.encoded(UInt8(number), count: 1000 * (1 + number % 90))
                        await cache.store(image, for: key("\(number % 40)"))
                    }
                }
            }
            // And of one that is replaced the old version, until the new one is whole.
            #expect(cache.account.byteCount <= 500_000)
            #expect(cache.account.highestByteCount <= 500_000 + 90_200)
            let sizes = try entries(in: folder).map { name in
                try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int ?? 0
            }
            #expect(sizes.reduce(0, +) == cache.account.byteCount)
            #expect(sizes.count == cache.account.entryCount)
        }
    }

    @Test func takesOverTheFileOfADownloadWithoutCopyingIt() async throws {
        try await withTemporaryFolder { folder in
            let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
            let path = cache.partialPath()
            try Data(repeating: 5, count: 70_000).write(to: URL(fileURLWithPath: path))
            let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            let image = EncodedImage(.mapped(try MappedFile(path: path)), byteCount: 70_000, ownFile: path)
            #expect(await cache.store(CachedImage(encoded: image), for: key("a")) == .kept)
            #expect(try await cache.image(for: key("a"))?.encoded?.copied() == [UInt8](repeating: 5, count: 70_000))
            #expect(try await cache.fresh(key("a"))?.copied().count == 70_000)
            let name = try #require(try entries(in: folder).first)
            #expect(try entries(in: folder).count == 1)
            let kept = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.systemFileNumber] as? Int
            #expect(kept == number)
        }
    }

    @Test func findsItsEntriesAfterARestartInTheOrderOfTheirLastUse() async throws {
        try await withTemporaryFolder { folder in
            let size = 1000 + 88 + key("0").url.utf8.count
            do {
                let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
                for name in ["0", "1", "2"] { await cache.store(TestImages.encoded(7, count: 1000), for: key(name)) }
                _ = await cache.image(for: key("0"))
                try Data("torn".utf8).write(to: URL(fileURLWithPath: cache.partialPath()))
            }
            let cache = try FileCache(folder: folder, limit: 2 * size, reading: .mapped)
            #expect(try entries(in: folder).count == 2)
            #expect(cache.account.highestByteCount == 2 * size, "what was found above the limit is not held")
            #expect(await cache.image(for: key("1")) == nil)
            for name in ["2", "0"] {
                #expect(try await cache.image(for: key(name))?.encoded?.copied() == [UInt8](repeating: 7, count: 1000))
            }
        }
    }

    @Test func belongsToOneCacheAtATime() throws {
        try withTemporaryFolder { folder in
            let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
            let error = #expect(throws: FileCacheError.self) {
                _ = try FileCache(folder: folder, limit: nil, reading: .mapped)
            }
            #expect(error?.code == .inUse)
            #expect(cache.account.entryCount == 0)
            #expect(throws: FileCacheError.self) {
                try FileCache(folder: folder + "/none/deeper", limit: nil, reading: .mapped)
            }
        }
    }

    @Test func closesTheLockOfAFolderThatItCannotHaveOnce() throws {
        try withTemporaryFolder { folder in
            let closed = Mutex<[CInt]>([])
            var calls = FileCalls.system
            calls.close = { descriptor in
                closed.withLock { $0.append(descriptor) }
                close(descriptor)
            }
            let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
            #expect(throws: FileCacheError.self) {
                _ = try FileCache(folder: folder, limit: nil, reading: .mapped, calls: calls)
            }
            #expect(closed.withLock { $0.count } == 1)
            #expect(cache.account.entryCount == 0)
        }
    }

    enum Damage: CaseIterable {
        case firstByte, lastByte, trailer, cut, longer, empty, removed, otherEntry
    }

    @Test(arguments: Damage.allCases) func findsWhatIsDamagedRemovesItAndKeepsWhatComesInItsPlace(_ damage: Damage)
        async throws
    {
        try await withTemporaryFolder { folder in
            let path = try await file(of: "a", in: folder)
            let other = try await file(of: "b", in: folder)
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            switch damage {
            case .firstByte: bytes[0] ^= 1
            case .lastByte: bytes[999] ^= 128
            case .trailer: bytes[bytes.count - 1] ^= 4
            case .cut: bytes.removeLast(100)
            case .longer: bytes.append(0)
            case .empty: bytes = []
            case .removed: break
            case .otherEntry: bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: other)))
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let cache = try FileCache(folder: folder, limit: nil, reading: .mapped)
            if damage == .removed { try FileManager.default.removeItem(atPath: path) }
            #expect(await cache.image(for: key("a")) == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(cache.damagedCount == (damage == .removed ? 0 : 1))
            #expect(cache.account.entryCount == 1)
            #expect(await cache.store(TestImages.encoded(3, count: 10), for: key("a")) == .kept)
            #expect(try await cache.image(for: key("a"))?.encoded?.copied() == [UInt8](repeating: 3, count: 10))
        }
    }
}

struct EntryTrailerTests {
    static let trailer = EntryTrailer(
        url: "http://origin/ü?a=1", entityTag: "\"tag\"", bodyLength: 1 << 33, bodyDigest: (0..<32).map { UInt8($0) })

    @Test func isReadAsItWasWritten() {
        let bytes = Self.trailer.bytes
        #expect(EntryTrailer(parsing: bytes) == Self.trailer)
        let size = Self.trailer.bodyLength + bytes.count
        #expect(EntryTrailer.bodyLength(footer: Array(bytes.suffix(88)), fileSize: size) == 1 << 33)
        #expect(bytes.count == 88 + Self.trailer.url.utf8.count + 5)
    }

    @Test func isNoneAsSoonAsOneBitOfItIsAnother() {
        let bytes = Self.trailer.bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                #expect(EntryTrailer(parsing: damaged) == nil, "byte \(place), bit \(bit)")
            }
        }
    }

    @Test func isNoneWhereItIsCutLongerOrOfAFileOfAnotherSize() {
        let bytes = Self.trailer.bytes
        for count in 0..<bytes.count {
            #expect(EntryTrailer(parsing: Array(bytes.prefix(count))) == nil)
            #expect(EntryTrailer(parsing: Array(bytes.suffix(count))) == nil)
        }
        #expect(EntryTrailer(parsing: [0] + bytes) == nil)
        let size = Self.trailer.bodyLength + bytes.count
        for other in [0, 88, size - 1, size + 1] {
            #expect(EntryTrailer.bodyLength(footer: Array(bytes.suffix(88)), fileSize: other) == nil)
        }
    }

    @Test func isNoneInBytesThatNobodyWrote() {
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<200)).map { _ in UInt8.random(in: 0...255) }
            #expect(EntryTrailer(parsing: Array("FBimage1".utf8) + bytes) == nil)
            #expect(EntryTrailer.bodyLength(footer: Array(bytes.suffix(88)), fileSize: bytes.count) == nil)
        }
    }
}

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
    func evictedEntriesAreFreed() throws {
        let cache = MemoryCache(limit: 3 << 18)
        for number in 0..<5 { cache.store(try Self.painted(number), for: ImageKey(url: "\(number)")) }
        #expect(cache.keys.count == 3)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct KillTests {
    @Test func thatIsKilledWhileItWritesLeavesNoTornEntry() async throws {
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

    @Test func paysForAHitThatIsMappedNothingAndForOneThatIsCopiedItsSize() async throws {
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
