// SPDX-License-Identifier: Apache-2.0

/// The largest resident set since a reset, with its source and its error bound.
public struct PeakReading: Codable, Hashable, Sendable {
    /// The larger of the kernel's mark and every exact reading since the reset.
    public var resident: ByteCount
    /// The source of the number.
    public var source: PeakSource
    /// The largest error of ``resident``; do not set a finer limit.
    ///
    /// For the kernel's mark it is ``PeakErrorBound``. For ``PeakSource/exactReadings`` the peak can lie between two
    /// readings; only the old mark bounds it.
    public var errorBound: ByteCount

    /// Creates a reading.
    public init(resident: ByteCount, source: PeakSource, errorBound: ByteCount) {
        self.resident = resident
        self.source = source
        self.errorBound = errorBound
    }

    private enum CodingKeys: String, CodingKey {
        case resident = "resident_bytes"
        case source
        case errorBound = "error_bound_bytes"
    }
}

/// The source of a peak.
public enum PeakSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// `VmHWM`, reset at the start of the phase.
    case highWaterMark = "kernel_high_water_mark"
    /// `VmHWM`, which could not be reset but rose during the phase and therefore is the phase's peak.
    case highWaterMarkWithoutReset = "kernel_high_water_mark_without_reset"
    /// The largest reading; peaks between two readings are missed.
    case exactReadings = "exact_readings"
}
