// SPDX-License-Identifier: Apache-2.0

/// What is known about the peak since the last reset, without the kernel's mark of now.
package struct PeakRecord: Hashable, Sendable {
    /// How the kernel's mark stood when the phase began.
    package enum Start: Hashable, Sendable {
        /// The mark was reset to what was resident then.
        case reset
        /// The mark stayed as it was; `nil` where the kernel keeps none.
        case refused(mark: ByteCount?)
    }

    /// How the kernel's mark stood when the phase began.
    package private(set) var start: Start

    /// The largest exact reading since.
    package private(set) var largestReading = ByteCount.zero

    package init(start: Start) {
        self.start = start
    }

    /// The record of a process from its beginning, when its mark was 0.
    package static let ofLifetime = PeakRecord(start: .refused(mark: .zero))

    /// Adds an exact reading of the resident set.
    package mutating func note(_ resident: ByteCount) {
        largestReading = max(largestReading, resident)
    }

    /// Decides the peak of record.
    ///
    /// - Parameters:
    ///   - mark: `VmHWM` now, or `nil` where the kernel keeps none.
    ///   - bound: how far the mark can be from the truth.
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
