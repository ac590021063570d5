// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// The differences that one machine shows between a build and itself.
package struct Calibration: Codable, Hashable, Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        package var cell: String
        package var metric: String
        /// The number of trials of both sides.
        package var trials: Int
        package var median: Double
        /// The reference of relative figures: the median of the net peaks.
        package var scale: Double
        /// The standard deviation of the trials, relative to ``scale``.
        package var variation: Double
        /// The standard error between two sets of these trials or ``shift``, the larger; in the unit of the metric.
        package var noiseFloor: Double
        /// The smallest significant change on this machine: at least three noise floors, in the unit of the metric.
        package var threshold: Double
        /// The smallest change that the first stage detects, in the unit of the metric.
        package var smallestDetectableChange: Double
        /// The second side minus the first, in the unit of the metric.
        package var shift: Double
        /// The verdict of the second stage on all trials.
        package var verdict: Finding.Verdict
        /// The number of resampled comparisons of the build with itself that reported a change.
        package var falseAlarms: Int
        package var resamples: Int
        /// A way to reduce the noise, or `nil` if it is low enough.
        package var advice: String?

        private enum CodingKeys: String, CodingKey {
            case metric, trials, median, scale, variation, threshold, shift, verdict, resamples, advice
            case cell = "case"
            case noiseFloor = "noise_floor"
            case smallestDetectableChange = "smallest_detectable_change"
            case falseAlarms = "false_alarms"
        }
    }

    /// The entries in the order of the plan.
    package var entries: [Entry]

    /// The noise floors that raise a threshold, to be written into a suite.
    package var noise: NoiseFloors {
        entries.reduce(into: NoiseFloors()) { noise, entry in
            let unmoved = JudgementRule.interleaved.threshold(scale: entry.scale) * entry.scale
            if entry.threshold > unmoved { noise[entry.cell, entry.metric] = entry.noiseFloor }
        }
    }
}
