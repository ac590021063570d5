// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// What one machine shows when a build is compared with itself.
package struct Calibration: Codable, Hashable, Sendable {
    /// One case × metric.
    package struct Entry: Codable, Hashable, Sendable {
        /// The case.
        package var cell: String
        /// The metric.
        package var metric: String
        /// How many trials of the same build were measured, both sides together.
        package var trials: Int
        /// Their median, in the unit of the metric.
        package var median: Double
        /// The whole that relative figures are relative to: the median of the net peaks.
        package var scale: Double
        /// The standard deviation of the trials, relative to the whole.
        package var variation: Double
        /// The standard error of a change between two sets of the same trials, or by how much the two sides of this
        /// measurement differed, whichever is larger; in the unit of the metric.
        package var noiseFloor: Double
        /// The smallest change that counts here, in the unit of the metric: three noise floors, or more.
        package var threshold: Double
        /// The smallest change that the first stage can see, in the unit of the metric.
        package var smallestDetectableChange: Double
        /// By how much the second side lay above the first, in the unit of the metric.
        package var shift: Double
        /// What two-stage judgement says of the two sides, all of whose trials are judged at once.
        package var verdict: Finding.Verdict
        /// How many of the resampled comparisons of the build with itself called it changed.
        package var falseAlarms: Int
        /// How many comparisons were resampled.
        package var resamples: Int
        /// What would make it better, or `nil` where nothing has to.
        package var advice: String?

        private enum CodingKeys: String, CodingKey {
            case metric, trials, median, scale, variation, threshold, shift, verdict, resamples, advice
            case cell = "case"
            case noiseFloor = "noise_floor"
            case smallestDetectableChange = "smallest_detectable_change"
            case falseAlarms = "false_alarms"
        }
    }

    /// The entries, in the order of the plan.
    package var entries: [Entry]

    /// The noise floors that raise what counts, to be written into a suite.
    package var noise: NoiseFloors {
        entries.reduce(into: NoiseFloors()) { noise, entry in
            let unmoved = JudgementRule.interleaved.threshold(scale: entry.scale) * entry.scale
            if entry.threshold > unmoved { noise[entry.cell, entry.metric] = entry.noiseFloor }
        }
    }
}
