// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// A part of a phase without samples, although more than five were due.
package struct SamplingGap: Hashable, Sendable {
    /// The last reading before the gap, in nanoseconds of `CLOCK_MONOTONIC`.
    package var start: Int
    /// The first reading after the gap.
    package var end: Int
    /// The file-backed memory during the gap: the lower of both readings.
    package var shared: ByteCount

    package init(start: Int, end: Int, shared: ByteCount) {
        self.start = start
        self.end = end
        self.shared = shared
    }

    /// The number of sampling intervals without a reading that is tolerated.
    private static let tolerated = 5

    /// Finds the gaps of a phase; its marks count as readings, so that without samples the whole phase is a gap.
    ///
    /// The samples are those of the whole trial, ordered by time.
    package static func gaps(
        in reading: PhaseReading, samples: [Sample], schedule: SamplingSchedule = .standard
    ) -> [SamplingGap] {
        let range = reading.startNanoseconds...reading.endNanoseconds
        var readings: [(time: Int, shared: ByteCount)] = [(range.lowerBound, reading.startShared)]
        for sample in samples where range.contains(sample.timeNanoseconds) {
            readings.append((sample.timeNanoseconds, sample.shared))
        }
        readings.append((range.upperBound, reading.end.memory.resident - reading.end.memory.anonymous))
        let start = samples.first?.timeNanoseconds ?? range.lowerBound
        return zip(readings, readings.dropFirst()).compactMap { earlier, later in
            // The sampler's clock starts a little before its first sample, so that the last sample before the schedule
            // slows down may seem to lie in its fast part.
            let interval = max(
                schedule.interval(at: max(0, earlier.time - start)), schedule.interval(at: max(0, later.time - start)))
            guard later.time - earlier.time > tolerated * interval else { return nil }
            return SamplingGap(start: earlier.time, end: later.time, shared: min(earlier.shared, later.shared))
        }
    }
}
