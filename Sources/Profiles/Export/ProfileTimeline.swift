// SPDX-License-Identifier: Apache-2.0

/// The course of the process that was explained, for viewers that show it beside the stacks.
///
/// All times are nanoseconds since the same instant, the process's start as a rule.
package struct ProfileTimeline: Codable, Hashable, Sendable {
    /// What the process held, in the order of time.
    package var samples: [Sample]
    package var phases: [Phase]
    /// When the peak was that the profile explains, or `nil` where only the largest sample tells.
    package var peakNanoseconds: Int?
    /// The seconds from the beginning of 1970 to the instant that times count from, or `nil` where nobody knows.
    package var startedAt: Double?

    package struct Sample: Codable, Hashable, Sendable {
        package var nanoseconds: Int
        package var residentBytes: Int
        /// The anonymous part, or `nil` where it was not read.
        package var anonymousBytes: Int?

        package init(nanoseconds: Int, residentBytes: Int, anonymousBytes: Int? = nil) {
            self.nanoseconds = nanoseconds
            self.residentBytes = residentBytes
            self.anonymousBytes = anonymousBytes
        }
    }

    /// A named part of the course.
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

    /// When the peak was, as well as it is known.
    package var bestPeakNanoseconds: Int {
        peakNanoseconds ?? samples.max { $0.residentBytes < $1.residentBytes }?.nanoseconds ?? 0
    }

    /// When the first thing was that is known.
    package var startNanoseconds: Int {
        [samples.first?.nanoseconds, phases.first?.startNanoseconds].compactMap { $0 }
            .reduce(bestPeakNanoseconds) { min($0, $1) }
    }

    /// When the last thing was that is known.
    package var endNanoseconds: Int {
        max(samples.last?.nanoseconds ?? 0, phases.map(\.endNanoseconds).max() ?? 0, bestPeakNanoseconds)
    }
}
