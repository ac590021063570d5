// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import Rendering
import Synchronization
import Testing

struct MemoryCacheTests {
    @Test func letsGoOfExactlyThoseUsedLongestAgo() throws {
        let cost = 4 * 64 * 64
        let cache = MemoryCache(limit: 3 * cost)
        let keys = (0..<5).map { ImageKey(url: "\($0)") }
        for key in keys.prefix(3) { #expect(cache.store(try TestImages.picture(key.url, side: 64), for: key) == .kept) }
        #expect(cache.image(for: keys[0])?.picture?.url == "0")
        #expect(cache.store(try TestImages.picture("3", side: 64), for: keys[3]) == .kept)
        #expect(cache.keys.map(\.url) == ["2", "0", "3"])
        #expect(cache.image(for: keys[1]) == nil)
        // One of twice the cost takes the room of two.
        #expect(cache.store(try TestImages.picture("4", side: 90), for: keys[4]) == .kept)
        #expect(cache.keys.map(\.url) == ["3", "4"])
        #expect(cache.account.cost == cost + 4 * 90 * 90)
        #expect(cache.account.entryCount == 2)
    }

    @Test func isNeverAboveItsLimitAndCountsWhatTheLedgerCounts() throws {
        let ledger = BitmapLedger()
        let cache = MemoryCache(limit: 1 << 20)
        for step in 0..<2000 {
            let key = ImageKey(url: "\(Int.random(in: 0..<60))")
            if step % 7 == 0 {
                cache.remove(key)
            } else {
                // 4 · side · side in whole pages, so that pixels and pages are the same number.
                let side = 32 * Int.random(in: 1...8)
                cache.store(try TestImages.picture(key.url, side: side, ledger: ledger), for: key)
            }
            let account = cache.account
            #expect(account.cost <= 1 << 20)
            #expect(account.byteCount == ledger.liveByteCount)
            #expect(account.byteCount == account.cost)
        }
        #expect(cache.account.highestByteCount > 1 << 19)
        #expect(cache.account.overshoot == 0)
        cache.removeAll()
        #expect(ledger.liveByteCount == 0)
        #expect(cache.account.cost == 0)
    }

    @Test func thatCountsEncodedBytesHoldsManyTimesItsLimit() throws {
        let limit = 10 * 4 * 256 * 256
        let cache = MemoryCache(limit: limit, counting: .encoded)
        for number in 0..<200 {
            let picture = try TestImages.picture("\(number)", side: 256, encoded: 4 * 256 * 256 / 7)
            cache.store(picture, for: ImageKey(url: "\(number)"))
        }
        #expect(cache.account.cost <= limit)
        #expect((6.5...7.0).contains(Double(cache.account.highestByteCount) / Double(limit)))
        #expect(cache.account.overshoot == cache.account.highestByteCount - limit)
    }

    @Test func countsTheEncodedBytesTooWhereItShould() throws {
        let cache = MemoryCache(limit: nil, counting: .decodedAndEncoded)
        cache.store(try TestImages.picture("a", side: 32, encoded: 100), for: ImageKey(url: "a"))
        #expect(cache.account.cost == 4 * 32 * 32 + 100)
        #expect(cache.account.byteCount == 4 * 32 * 32)
    }

    @Test func refusesWhatAloneIsOverTheLimitAndKeepsNoOlderVersionOfIt() throws {
        let cache = MemoryCache(limit: 4 * 64 * 64)
        let (a, b) = (ImageKey(url: "a"), ImageKey(url: "b"))
        #expect(cache.store(try TestImages.picture("a", side: 64), for: a) == .kept)
        #expect(cache.store(try TestImages.picture("b", side: 65), for: b) == .tooLarge)
        #expect(cache.keys == [a])
        #expect(cache.store(try TestImages.picture("a", side: 65), for: a) == .tooLarge)
        #expect(cache.keys.isEmpty)
        #expect(cache.store(CachedImage(), for: a) == .nothingToKeep)
    }

    @Test func letsGoOfWhatWasNotUsedForALifetime() throws {
        let time = Mutex(Duration.zero)
        let cache = MemoryCache(limit: nil, lifetime: .seconds(300)) { time.withLock { $0 } }
        let key = ImageKey(url: "a")
        cache.store(try TestImages.picture("a", side: 8), for: key)
        for second in [299, 598, 897] {
            time.withLock { $0 = .seconds(second) }
            #expect(cache.image(for: key) != nil)
        }
        time.withLock { $0 = .seconds(897 + 300) }
        #expect(cache.image(for: key) == nil)
        #expect(
            cache.account
                == {
                    var empty = CacheAccount()
                    empty.highestByteCount = 4096
                    return empty
                }())
    }

    @Test func keepsAPictureForEachViewApart() throws {
        let cache = MemoryCache(limit: nil)
        let small = ImageKey(url: "a", view: PixelSize(width: 10, height: 10))
        cache.store(try TestImages.picture("a", side: 8), for: small)
        #expect(cache.image(for: small.ofOriginal) == nil)
        #expect(cache.image(for: small)?.picture?.bitmap.size.width == 8)
    }
}

struct RecencyListTests {
    @Test func isInEveryRespectWhatAnArrayThatIsSearchedWouldBe() {
        var list = RecencyList<Int, Int>()
        var array: [(key: Int, value: Int)] = []
        var random = SystemRandomNumberGenerator()
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<40, using: &random)
            let place = array.firstIndex { $0.key == key }
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let old = place.map { array.remove(at: $0).value }
                array.append((key, step))
                #expect(list.insert(step, for: key) == old)
            case 2:
                let value = place.map { array[$0].value }
                if let place { array.append(array.remove(at: place)) }
                #expect(list.use(key) == value)
            case 3: #expect(list.remove(key) == place.map { array.remove(at: $0).value })
            default:
                let oldest = list.removeLeastRecent()
                #expect(oldest?.key == array.first?.key && oldest?.value == array.first?.value)
                if !array.isEmpty { array.removeFirst() }
            }
            #expect(list.count == array.count)
            #expect(list.peek(key) == array.first { $0.key == key }?.value)
            if step % 500 == 0 { #expect(list.keys == array.map(\.key)) }
        }
    }
}
