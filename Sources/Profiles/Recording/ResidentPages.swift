// SPDX-License-Identifier: Apache-2.0

/// The resident pages of a process, one bit a page.
struct ResidentPages: Hashable, Sendable {
    /// 64 pages, the first in the lowest bit.
    struct Word: Hashable, Sendable {
        /// Its index among the words of its run.
        var place: UInt64
        var bits: UInt64
    }

    struct Run: Hashable, Sendable {
        var range: Range<UInt64>
        /// Ordered by place; words without a resident page are left out.
        var words: [Word]
    }

    /// Ordered by address, without overlaps.
    var runs: [Run]
    /// The size of a page in bytes.
    var pageSize: UInt64

    /// Returns how many bytes of a range are resident, counting only its part of pages at its ends.
    func resident(in range: Range<UInt64>) -> Int {
        var sum: UInt64 = 0
        var index = runs.partitioningIndex { $0.range.upperBound > range.lowerBound }
        while index < runs.count, runs[index].range.lowerBound < range.upperBound {
            sum += resident(of: runs[index], in: range.clamped(to: runs[index].range))
            index += 1
        }
        return Int(sum)
    }

    private func resident(of run: Run, in part: Range<UInt64>) -> UInt64 {
        guard !part.isEmpty else { return 0 }
        let wordSize = 64 * pageSize
        var index = run.words.partitioningIndex { $0.place >= (part.lowerBound - run.range.lowerBound) / wordSize }
        var sum: UInt64 = 0
        while index < run.words.count {
            let start = run.range.lowerBound + run.words[index].place * wordSize
            guard start < part.upperBound else { return sum }
            sum += resident(of: run.words[index].bits, from: start, in: part)
            index += 1
        }
        return sum
    }

    private func resident(of bits: UInt64, from start: UInt64, in part: Range<UInt64>) -> UInt64 {
        if start >= part.lowerBound, start + 64 * pageSize <= part.upperBound {
            return UInt64(bits.nonzeroBitCount) * pageSize
        }
        var sum: UInt64 = 0
        for page in 0..<UInt64(64) where bits >> page & 1 == 1 {
            let first = start + page * pageSize
            sum += UInt64((first..<first + pageSize).clamped(to: part).count)
        }
        return sum
    }
}
