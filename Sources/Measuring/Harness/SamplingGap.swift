// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// A time in a phase in which nobody looked, although more than five samples were due.
package struct SamplingGap: Hashable, Sendable {
    /// The last reading before it, in nanoseconds of `CLOCK_MONOTONIC`.
    package var start: Int
    /// The first reading behind it.
    package var end: Int
    /// The file-backed memory that there was throughout: the lower of both readings.
    package var shared: ByteCount

    /// Creates a gap.
    package init(start: Int, end: Int, shared: ByteCount) {
        self.start = start
        self.end = end
        self.shared = shared
    }

    /// How many samples have to be late before it is a gap.
    private static let tolerated = 5

    /// Finds the gaps of a phase, whose marks count as readings: without samples the whole phase is one.
    /// - Parameters:
    ///   - samples: the samples of the whole trial, in the order of their times.
    ///   - schedule: when they were due.
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
            // The sampler's own clock began a little before its first sample, so that the last sample before the
            // schedule slows down may seem to lie in its fast part.
            let interval = max(
                schedule.interval(at: max(0, earlier.time - start)), schedule.interval(at: max(0, later.time - start)))
            guard later.time - earlier.time > tolerated * interval else { return nil }
            return SamplingGap(start: earlier.time, end: later.time, shared: min(earlier.shared, later.shared))
        }
    }
}
