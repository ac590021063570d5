// SPDX-License-Identifier: Apache-2.0

/// The sum of absolute deviations from the median, for every range of a series.
struct SegmentCosts {
    private let series: [Double]
    private var costs: [Double]

    init(_ series: [Double]) {
        self.series = series
        costs = [Double](repeating: 0, count: series.count * (series.count + 1))
        var sorted: [Double] = []
        for start in series.indices {
            sorted.removeAll(keepingCapacity: true)
            for end in start..<series.count {
                sorted.insert(series[end], at: sorted.firstIndex { $0 > series[end] } ?? sorted.count)
                costs[start * (series.count + 1) + end + 1] = Self.cost(ofSorted: sorted)
            }
        }
    }

    func cost(_ range: Range<Int>) -> Double {
        costs[range.lowerBound * (series.count + 1) + range.upperBound]
    }

    /// Returns the single cut with the least cost and at least `minimum` values on either side.
    func bestCut(of range: Range<Int>, minimum: Int) -> [Int]? {
        guard range.count >= 2 * minimum else { return nil }
        var best = (cost: Double.infinity, cut: range.lowerBound)
        for cut in (range.lowerBound + minimum)...(range.upperBound - minimum) {
            let cost = cost(range.lowerBound..<cut) + cost(cut..<range.upperBound)
            if cost < best.cost { best = (cost, cut) }
        }
        return [best.cut]
    }

    /// Returns the two cuts with the least cost and at least `minimum` values in each part.
    func bestTwoCuts(of range: Range<Int>, minimum: Int) -> [Int]? {
        guard range.count >= 3 * minimum else { return nil }
        var best = (cost: Double.infinity, cuts: [range.lowerBound])
        for first in (range.lowerBound + minimum)...(range.upperBound - 2 * minimum) {
            let before = cost(range.lowerBound..<first)
            for second in (first + minimum)...(range.upperBound - minimum) {
                let cost = before + cost(first..<second) + cost(second..<range.upperBound)
                if cost < best.cost { best = (cost, [first, second]) }
            }
        }
        return best.cuts
    }

    private static func cost(ofSorted values: [Double]) -> Double {
        let middle = values.count / 2
        var cost = 0.0
        // The median cancels out: the upper half minus the lower half.
        for index in 0..<middle { cost += values[values.count - 1 - index] - values[index] }
        return cost
    }
}
