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

    package init(start: Start) { self.start = start }

    /// The record of a process since its beginning, when its mark was 0.
    package static let ofLifetime = PeakRecord(start: .refused(mark: .zero))

    package mutating func note(_ resident: ByteCount) { largestReading = max(largestReading, resident) }

    /// Returns the peak for the current `VmHWM`, which is `nil` if the kernel keeps none, and the bound of its error.
    package func reading(mark: ByteCount?, bound: ByteCount) -> PeakReading {
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
