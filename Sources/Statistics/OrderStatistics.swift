// SPDX-License-Identifier: Apache-2.0

package enum OrderStatistics {
    /// Returns the middle value, or the mean of the two middle ones.
    ///
    /// It selects instead of sorting, as a bootstrap calls it thousands of times:
    /// Hoare, "Algorithm 65: Find", CACM 4(7), 1961.
    package static func median(_ values: [Double]) -> Double {
        precondition(!values.isEmpty, "no value lies in the middle of none")
        var values = values
        let middle = values.count / 2
        select(middle, in: &values)
        guard values.count.isMultiple(of: 2) else { return values[middle] }
        var below = values[0]
        for index in 1..<max(middle, 1) where values[index] > below { below = values[index] }
        return (below + values[middle]) / 2
    }

    /// Returns a quantile, interpolated linearly between the neighbouring ranks.
    ///
    /// Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50(4),
    /// 1996: the default of numpy and R.
    package static func quantile(_ probability: Double, ofSorted values: [Double]) -> Double {
        precondition(!values.isEmpty && (0...1).contains(probability), "a probability, and at least one value")
        let position = probability * Double(values.count - 1)
        let index = min(Int(position), values.count - 1)
        guard index + 1 < values.count else { return values[index] }
        return values[index] + (position - Double(index)) * (values[index + 1] - values[index])
    }

    /// Moves the value of a rank to its place, with no larger ones to its left and no smaller ones to its right.
    private static func select(_ rank: Int, in values: inout [Double]) {
        var low = 0
        var high = values.count - 1
        while low < high {
            let pivot = values[rank]
            var left = low
            var right = high
            while left <= right {
                while values[left] < pivot { left += 1 }
                while pivot < values[right] { right -= 1 }
                guard left <= right else { break }
                values.swapAt(left, right)
                left += 1
                right -= 1
            }
            if right < rank { low = left }
            if rank < left { high = right }
        }
    }
}
