// SPDX-License-Identifier: Apache-2.0

import Rendering
import Synchronization

package enum CostFunction: String, Hashable, Sendable {
    /// The pixels: 4 · width · height.
    case decoded
    case decodedAndEncoded
    /// The encoded bytes alone: a mistake that lets a cache hold many times its limit.
    case encoded

    func cost(of picture: LoadedPicture) -> Int {
        let decoded = 4 * picture.bitmap.size.pixelCount
        return switch self {
        case .decoded: decoded
        case .decodedAndEncoded: decoded + picture.encodedByteCount
        case .encoded: picture.encodedByteCount
        }
    }
}

/// A cache of decoded pictures in memory that evicts the least recently used.
///
/// Eviction precedes insertion, so that a cost of what is really held never exceeds the limit.
package final class MemoryCache: ImageCache {
    private struct Entry {
        var picture: LoadedPicture
        var cost: Int
        var end: Duration?
    }

    private struct State {
        var entries = RecencyList<ImageKey, Entry>()
        var account = CacheAccount()

        mutating func book(_ entry: Entry, _ sign: Int) {
            account.cost += sign * entry.cost
            account.byteCount += sign * entry.picture.bitmap.byteCount
            account.highestByteCount = max(account.highestByteCount, account.byteCount)
        }

        @discardableResult
        mutating func remove(_ key: ImageKey) -> Entry? {
            guard let entry = entries.remove(key) else { return nil }
            book(entry, -1)
            return entry
        }
    }

    private let function: CostFunction
    private let limit: Int?
    private let lifetime: Duration?
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limit: The maximum cost in bytes, or `nil` for none.
    ///   - function: The cost function.
    ///   - lifetime: The time a picture is kept after its last use, or `nil` for no expiry.
    ///   - now: The clock of the lifetime.
    package init(
        limit: Int?, counting function: CostFunction = .decoded, lifetime: Duration? = nil,
        now: @escaping @Sendable () -> Duration = { .zero }
    ) {
        (self.limit, self.function, self.lifetime, self.now) = (limit, function, lifetime, now)
        var state = State()
        state.account.limit = limit
        self.state = Mutex(state)
    }

    package var account: CacheAccount {
        state.withLock { state in
            var account = state.account
            account.entryCount = state.entries.count
            return account
        }
    }

    package var keys: [ImageKey] { state.withLock { $0.entries.keys } }

    package func image(for key: ImageKey) -> CachedImage? {
        let now = lifetime == nil ? .zero : now()
        return state.withLock { state in
            guard var entry = state.entries.use(key) else { return nil }
            if let end = entry.end, end <= now {
                state.remove(key)
                return nil
            }
            if let lifetime {
                entry.end = now + lifetime
                state.entries.insert(entry, for: key)
            }
            return CachedImage(picture: entry.picture)
        }
    }

    @discardableResult
    package func store(_ image: CachedImage, for key: ImageKey) -> StoreOutcome {
        guard let picture = image.picture else { return .nothingToKeep }
        let cost = function.cost(of: picture)
        let entry = Entry(picture: picture, cost: cost, end: lifetime.map { now() + $0 })
        return state.withLock { state in
            state.remove(key)
            if let limit {
                guard cost <= limit else { return .tooLarge }
                while state.account.cost + cost > limit, let oldest = state.entries.leastRecent {
                    state.remove(oldest.key)
                }
            }
            state.entries.insert(entry, for: key)
            state.book(entry, 1)
            return .kept
        }
    }

    package func remove(_ key: ImageKey) { _ = state.withLock { $0.remove(key) } }

    package func removeAll() {
        state.withLock { state in
            while let oldest = state.entries.leastRecent { state.remove(oldest.key) }
        }
    }
}

/// A dictionary ordered by last use; every operation takes constant time.
package struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var older: Int?
        /// The next more recently used slot.
        var newer: Int?
    }

    private var slots: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    package init() {}

    package var count: Int { places.count }

    package var leastRecent: (key: Key, value: Value)? {
        oldest.flatMap { slots[$0] }.map { ($0.key, $0.value) }
    }

    package var keys: [Key] {
        var keys: [Key] = []
        var place = oldest
        while let current = place, let node = slots[current] {
            keys.append(node.key)
            place = node.newer
        }
        return keys
    }

    package func peek(_ key: Key) -> Value? { places[key].flatMap { slots[$0]?.value } }

    package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let node = unlink(place) else { return nil }
        link(node, at: place)
        return node.value
    }

    /// Inserts a value as the most recent one; returns the replaced value.
    @discardableResult
    package mutating func insert(_ value: Value, for key: Key) -> Value? {
        let old = remove(key)
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(nil) }
        places[key] = place
        link(Node(key: key, value: value), at: place)
        return old
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let node = unlink(place) else { return nil }
        slots[place] = nil
        free.append(place)
        return node.value
    }

    package mutating func removeLeastRecent() -> (key: Key, value: Value)? {
        guard let key = oldest.flatMap({ slots[$0]?.key }), let value = remove(key) else { return nil }
        return (key, value)
    }

    private mutating func link(_ node: Node, at place: Int) {
        var node = node
        node.older = newest
        node.newer = nil
        if let newest { slots[newest]?.newer = place } else { oldest = place }
        slots[place] = node
        newest = place
    }

    private mutating func unlink(_ place: Int) -> Node? {
        guard let node = slots[place] else { return nil }
        if let older = node.older { slots[older]?.newer = node.newer } else { oldest = node.newer }
        if let newer = node.newer { slots[newer]?.older = node.older } else { newest = node.older }
        return node
    }
}
