// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

struct MedianIntervalTests {
    /// The ranks of Conover's and other tables of the sign test: for each number of values the lower rank at 95 %.
    @Test(arguments: [
        (6, 1), (7, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (17, 5), (20, 6), (25, 8), (30, 10), (40, 14),
        (50, 18), (100, 40),
    ])
    func theRanksAreThoseOfTheTables(count: Int, rank: Int) {
        let values = (1...count).map(Double.init)
        #expect(MedianInterval.interval(ofSorted: values) == Double(rank)...Double(count + 1 - rank))
    }

    @Test(arguments: 0...5)
    func fewerThanSixValuesHaveNone(count: Int) {
        #expect(MedianInterval.interval(ofSorted: (0..<count).map(Double.init)) == nil)
    }

    @Test func theNormalDistributionTakesOverWithoutALeap() throws {
        let width = { (count: Int) throws -> Double in
            let interval = try #require(MedianInterval.interval(ofSorted: (1...count).map(Double.init)))
            return interval.upperBound - interval.lowerBound
        }
        #expect(try abs(width(1001) - width(1000)) <= 3)
        #expect(try width(20000) > 270 && width(20000) < 285)
    }
}
