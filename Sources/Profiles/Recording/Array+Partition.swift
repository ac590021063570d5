// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Returns the index of the first element that satisfies a predicate, which all later ones must satisfy too.
    func partitioningIndex(where isTrue: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isTrue(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
