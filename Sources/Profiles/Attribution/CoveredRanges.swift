// SPDX-License-Identifier: Apache-2.0

/// Ranges of addresses that are already attributed.
struct CoveredRanges {
    /// Ordered by address, without overlaps.
    private var ranges: [Range<UInt64>] = []

    /// Adds a range and returns its parts that were not covered before.
    mutating func cover(_ range: Range<UInt64>) -> [Range<UInt64>] {
        guard !range.isEmpty else { return [] }
        let first = ranges.partitioningIndex { $0.upperBound >= range.lowerBound }
        var last = first
        var free: [Range<UInt64>] = []
        var place = range.lowerBound
        var whole = range
        while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
            if place < ranges[last].lowerBound { free.append(place..<ranges[last].lowerBound) }
            place = max(place, ranges[last].upperBound)
            whole = min(whole.lowerBound, ranges[last].lowerBound)..<max(whole.upperBound, ranges[last].upperBound)
            last += 1
        }
        if place < range.upperBound { free.append(place..<range.upperBound) }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(whole))
        return free
    }
}
