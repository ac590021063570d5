// SPDX-License-Identifier: Apache-2.0

/// Which pages of a process are resident, one bit a page.
struct ResidentPages: Hashable, Sendable {
    /// One mapping.
    struct Run: Hashable, Sendable {
        var range: Range<UInt64>
        var words: [UInt64]
    }

    /// By address, none over another.
    var runs: [Run]
    /// Bytes a page.
    var pageSize: UInt64

    /// How many bytes of a range are resident: a page that it shares with others counts for its share alone.
    func resident(in range: Range<UInt64>) -> Int {
        var sum: UInt64 = 0
        var index = firstRun(endingAfter: range.lowerBound)
        while index < runs.count, runs[index].range.lowerBound < range.upperBound {
            sum += resident(of: runs[index], in: range.clamped(to: runs[index].range))
            index += 1
        }
        return Int(sum)
    }

    private func resident(of run: Run, in part: Range<UInt64>) -> UInt64 {
        guard !part.isEmpty else { return 0 }
        var sum: UInt64 = 0
        var page = (part.lowerBound - run.range.lowerBound) / pageSize
        while true {
            let start = run.range.lowerBound + page * pageSize
            guard start < part.upperBound else { return sum }
            if run.words[Int(page / 64)] >> (page % 64) & 1 == 1 {
                sum += min(start + pageSize, part.upperBound) - max(start, part.lowerBound)
            }
            page += 1
        }
    }

    private func firstRun(endingAfter address: UInt64) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].range.upperBound > address { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
