// SPDX-License-Identifier: Apache-2.0

/// The data about the peak since the last reset, other than the current mark of the kernel.
package struct PeakRecord: Hashable, Sendable {
    /// The state of the kernel's mark at the start of the phase.
    package enum Start: Hashable, Sendable {
        /// The mark was reset to the resident set.
        case reset
        /// The mark was not reset; `nil` if the kernel keeps none.
        case refused(mark: ByteCount?)
    }

    package private(set) var start: Start

    /// The largest exact reading since the start.
    package private(set) var largestReading = ByteCount.zero
    /// The most of it in huge page pools, which are in no mark.
    package private(set) var largestHugetlb = ByteCount.zero

    package init(start: Start) { self.start = start }

    /// The record of a process since its beginning, when its mark was 0.
    package static let ofLifetime = PeakRecord(start: .refused(mark: .zero))

    package mutating func note(_ resident: ByteCount) { largestReading = max(largestReading, resident) }

    package mutating func note(_ reading: ResidentReading) {
        note(reading.resident)
        largestHugetlb = max(largestHugetlb, reading.hugetlb)
    }

    /// Returns the peak for the current `VmHWM`, which is `nil` if the kernel keeps none, and the bound of its error.
    ///
    /// With pages of a huge page pool it is the largest reading: when the most of them were mapped, the mark does not
    /// say. The error reaches to where both had their most at the same time.
    package func reading(mark: ByteCount?, bound: ByteCount) -> PeakReading {
        let reading = readingOfMark(mark, bound: bound)
        guard largestHugetlb > .zero else { return reading }
        return PeakReading(
            resident: reading.resident, source: .exactReadings,
            errorBound: bound + max(.zero, (mark ?? .zero) + largestHugetlb - reading.resident))
    }

    private func readingOfMark(_ mark: ByteCount?, bound: ByteCount) -> PeakReading {
        guard let mark else {
            return PeakReading(resident: largestReading, source: .exactReadings, errorBound: bound)
        }
        switch start {
        case .reset:
            return PeakReading(resident: max(mark, largestReading), source: .highWaterMark, errorBound: bound)
        case .refused(let old?) where mark > old:
            return PeakReading(
                resident: max(mark, largestReading), source: .highWaterMarkWithoutReset, errorBound: bound)
        case .refused:
            let unseen = max(.zero, mark - largestReading)
            return PeakReading(resident: largestReading, source: .exactReadings, errorBound: unseen + bound)
        }
    }
}
