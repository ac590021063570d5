// SPDX-License-Identifier: Apache-2.0

/// Values by key, in the order of their last use; every operation takes constant time.
package struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        /// The next one used longer ago.
        var older: Int?
        /// The next one used more recently.
        var newer: Int?
    }

    private var slots: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    package init() {}

    package var count: Int { places.count }

    /// The key and the value used longest ago.
    package var leastRecent: (key: Key, value: Value)? {
        oldest.flatMap { slots[$0] }.map { ($0.key, $0.value) }
    }

    /// The keys, the one used longest ago first.
    package var keys: [Key] {
        var keys: [Key] = []
        var place = oldest
        while let current = place, let node = slots[current] {
            keys.append(node.key)
            place = node.newer
        }
        return keys
    }

    /// A value, without using it.
    package func peek(_ key: Key) -> Value? {
        places[key].flatMap { slots[$0]?.value }
    }

    /// A value, which is the most recent one from now on.
    package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let node = unlink(place) else { return nil }
        link(node, at: place)
        return node.value
    }

    /// Puts a value in, as the most recent one.
    /// - Returns: The value that was there before.
    @discardableResult
    package mutating func insert(_ value: Value, for key: Key) -> Value? {
        let old = remove(key)
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(nil) }
        places[key] = place
        link(Node(key: key, value: value), at: place)
        return old
    }

    /// Takes a value out.
    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let node = unlink(place) else { return nil }
        slots[place] = nil
        free.append(place)
        return node.value
    }

    /// Takes the value out that was used longest ago.
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
