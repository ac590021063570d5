// SPDX-License-Identifier: Apache-2.0

/// The largest resident set since a reset, with where the number comes from and how far off it can be.
public struct PeakReading: Codable, Hashable, Sendable {
    /// The peak of record: the larger of the kernel's mark and every exact reading since the reset.
    public var resident: ByteCount

    /// Where the number comes from.
    public var source: PeakSource

    /// How far the truth can be from ``resident``; a limit finer than it is not honest.
    ///
    /// For the kernel's mark it is ``PeakErrorBound``. For ``PeakSource/exactReadings`` the truth can lie between
    /// two readings, and all that is known of it is that the old mark was not passed: the bound reaches up to there.
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

/// Where a peak comes from.
public enum PeakSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// `VmHWM`, reset when the phase began.
    case highWaterMark = "kernel_high_water_mark"
    /// `VmHWM`, which could not be reset but rose during the phase, so that it is the phase's peak.
    case highWaterMarkWithoutReset = "kernel_high_water_mark_without_reset"
    /// The largest reading taken: what happened between two readings is not in it.
    case exactReadings = "exact_readings"
}
