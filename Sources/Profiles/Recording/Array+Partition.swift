// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// The place of the first element of which something is true, where it is true of all behind it.
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
