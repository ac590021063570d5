// SPDX-License-Identifier: Apache-2.0

/// A dictionary ordered by last use; every operation takes constant time.
package struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        /// The next less recently used slot.
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

    /// The keys, least recently used first.
    package var keys: [Key] {
        var keys: [Key] = []
        var place = oldest
        while let current = place, let node = slots[current] {
            keys.append(node.key)
            place = node.newer
        }
        return keys
    }

    /// Returns a value without marking it as used.
    package func peek(_ key: Key) -> Value? {
        places[key].flatMap { slots[$0]?.value }
    }

    /// Returns a value and marks it as used.
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

    /// Removes and returns the least recently used value.
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
