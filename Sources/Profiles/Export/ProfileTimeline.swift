// SPDX-License-Identifier: Apache-2.0

/// The timeline of the explained process, for viewers that show it beside the stacks.
///
/// All times are nanoseconds since the same instant, usually the process's start.
package struct ProfileTimeline: Codable, Hashable, Sendable {
    /// Ordered by time.
    package var samples: [Sample]
    package var phases: [Phase]
    /// The time of the explained peak, or `nil` if only the samples show it.
    package var peakNanoseconds: Int?
    /// The instant that times count from, in seconds since 1970, or `nil` if unknown.
    package var startedAt: Double?

    package struct Sample: Codable, Hashable, Sendable {
        package var nanoseconds: Int
        package var residentBytes: Int
        /// The anonymous part, or `nil` if it was not read.
        package var anonymousBytes: Int?

        package init(nanoseconds: Int, residentBytes: Int, anonymousBytes: Int? = nil) {
            self.nanoseconds = nanoseconds
            self.residentBytes = residentBytes
            self.anonymousBytes = anonymousBytes
        }
    }

    package struct Phase: Codable, Hashable, Sendable {
        package var name: String
        package var startNanoseconds: Int
        package var endNanoseconds: Int

        package init(name: String, startNanoseconds: Int, endNanoseconds: Int) {
            self.name = name
            self.startNanoseconds = startNanoseconds
            self.endNanoseconds = endNanoseconds
        }
    }

    package init(
        samples: [Sample] = [], phases: [Phase] = [], peakNanoseconds: Int? = nil, startedAt: Double? = nil
    ) {
        self.samples = samples.sorted { $0.nanoseconds < $1.nanoseconds }
        self.phases = phases.sorted { $0.startNanoseconds < $1.startNanoseconds }
        self.peakNanoseconds = peakNanoseconds
        self.startedAt = startedAt
    }

    /// The time of the peak, or of the largest sample if that is unknown.
    package var bestPeakNanoseconds: Int {
        peakNanoseconds ?? samples.max { $0.residentBytes < $1.residentBytes }?.nanoseconds ?? 0
    }

    /// The earliest known time.
    package var startNanoseconds: Int {
        [samples.first?.nanoseconds, phases.first?.startNanoseconds].compactMap { $0 }
            .reduce(bestPeakNanoseconds) { min($0, $1) }
    }

    /// The latest known time.
    package var endNanoseconds: Int {
        max(samples.last?.nanoseconds ?? 0, phases.map(\.endNanoseconds).max() ?? 0, bestPeakNanoseconds)
    }
}
