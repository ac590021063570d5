// SPDX-License-Identifier: Apache-2.0

extension Sequence {
    /// Returns the elements grouped by a key, in the order of the first element of each group.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        var groups: [(key: Key, elements: [Element])] = []
        var places: [Key: Int] = [:]
        for element in self {
            let key = key(element)
            let place = places[key] ?? groups.count
            if place == groups.count { groups.append((key, [])) }
            places[key] = place
            groups[place].elements.append(element)
        }
        return groups
    }
}

extension Array {
    /// Returns the elements in parts of at most `count` elements.
    func chunks(ofCount count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(dropFirst($0).prefix(count)) }
    }

    /// Returns the elements in their order, but those that the predicate is true for behind the others.
    func withLast(_ isLast: (Element) -> Bool) -> [Element] { filter { !isLast($0) } + filter(isLast) }
}
