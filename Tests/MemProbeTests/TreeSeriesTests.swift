// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

/// What is kept of the samples of a command, however long it runs.
struct TreeSeriesTests {
    private func sample(_ time: Int, _ kibibytes: Int) -> Sample {
        Sample(timeNanoseconds: time, resident: .kibibytes(kibibytes), shared: .kibibytes(kibibytes / 4))
    }

    private func series(_ kibibytes: [Int], capacity: Int) -> TreeSeries {
        var series = TreeSeries(capacity: capacity)
        for (index, size) in kibibytes.enumerated() { series.note(sample(index + 1, size)) }
        return series
    }

    @Test func whatFitsIsKeptWhole() {
        #expect(TreeSeries().samples.isEmpty)
        let sizes = [5, 3, 3, 9, 1, 4]
        let all = sizes.enumerated().map { sample($0 + 1, $1) }
        #expect(series(sizes, capacity: 6).samples == all && series(sizes, capacity: 100).samples == all)
    }

    @Test func ofTwoTheLargerOneStays() {
        #expect(series([1, 2, 8, 4, 5], capacity: 4).samples == [sample(2, 2), sample(3, 8), sample(5, 5)])
        #expect(
            series([1, 2, 8, 4, 5, 7, 6], capacity: 4).samples
                == [sample(2, 2), sample(3, 8), sample(6, 7), sample(7, 6)], "from then on it takes one of every two")
        #expect(series([3, 3, 3], capacity: 2).samples == [sample(1, 3), sample(3, 3)], "of equals the earlier one")
    }

    /// A size for every length up to many times the capacity, rising, falling and in disorder.
    @Test(arguments: [2, 3, 4, 7, 10, 64], [0, 1, 2])
    func itNeverGrowsAndKeepsTheMaximumAndTheOrder(capacity: Int, shape: Int) {
        var series = TreeSeries(capacity: capacity)
        var all: [Sample] = []
        for number in 1...300 {
            let size = [number, 500 - number, number * 7919 % 1009][shape]
            all.append(sample(number * 10, size))
            series.note(all[number - 1])
            let kept = series.samples
            #expect(kept.count <= capacity && !kept.isEmpty)
            #expect(kept.map(\.resident).max() == all.map(\.resident).max())
            #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.timeNanoseconds < $1.timeNanoseconds })
        }
        #expect(Set(series.samples).isSubset(of: all), "each is a sample that was taken, with all that it read")
        #expect(series.samples.count >= capacity / 2, "and it is no coarser than it has to be")
    }

    /// One spike among thousands of level samples, wherever it falls.
    @Test(arguments: [1, 2, 999, 1000, 1001, 4097, 9999]) func aSpikeIsKeptWithItsTime(at place: Int) {
        let sizes = (1...10_000).map { $0 == place ? 900 : 100 }
        let kept = series(sizes, capacity: 1000).samples
        #expect(kept.count <= 1000 && kept.contains(sample(place, 900)))
        #expect(kept.count { $0.resident == .kibibytes(900) } == 1)
    }
}
