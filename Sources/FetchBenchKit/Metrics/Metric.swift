// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// A figure of a trial: its name, its unit, and how it is read.
///
/// The name is the column of `trials.csv` and the word in the column `metric` of `summary.csv`.
package struct Metric: Sendable {
    /// The base units.
    package enum Unit: String, Codable, Hashable, Sendable {
        /// Bytes.
        case bytes
        /// Nanoseconds.
        case nanoseconds = "ns"
        /// A pure number.
        case ratio
    }

    /// The name, with its unit as suffix.
    package let name: String
    /// The unit.
    package let unit: Unit
    /// What it says, as a part of a sentence.
    package let summary: String
    /// The figure of a trial, or `nil` where it is not available.
    package let value: @Sendable (Trial) -> Double?

    init(_ name: String, _ unit: Unit, _ summary: String, value: @escaping @Sendable (Trial) -> Double?) {
        self.name = name
        self.unit = unit
        self.summary = summary
        self.value = value
    }

    /// The figure over the completed trials, or `nil` where none has it.
    package func distribution(over trials: [Trial]) -> Distribution? {
        Distribution(trials.lazy.filter(\.isCompleted).compactMap(value))
    }
}
