// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// A figure of a trial: its names, its unit, how it is read, and which way is better.
///
/// The name is the column of `trials.csv` and the word in the column `metric` of `summary.csv`. ``all`` is the one list:
/// columns, summary, the words of budgets and `fetchbench list metrics` follow from it.
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

    /// Which way a figure is better.
    package enum Direction: String, Hashable, Sendable {
        /// The less, the better.
        case lower
        /// The more, the better.
        case higher
        /// It explains other figures, and is neither good nor bad.
        case neither
    }

    /// The name, with its unit as suffix.
    package let name: String
    /// What budgets call it.
    package let shortName: String
    /// The unit.
    package let unit: Unit
    /// Which way is better.
    package let direction: Direction
    /// What it says, as a part of a sentence.
    package let summary: String
    /// The figure of a trial, or `nil` where it is not available.
    package let value: @Sendable (Trial) -> Double?
    /// What a budget takes where the figure itself is not available, so that a limit keeps its meaning; mostly `nil`.
    private let standIn: (@Sendable (Trial) -> Double?)?

    package init(
        _ name: String, short: String, _ unit: Unit, _ summary: String, better direction: Direction = .lower,
        standIn: (@Sendable (Trial) -> Double?)? = nil, value: @escaping @Sendable (Trial) -> Double?
    ) {
        self.name = name
        shortName = short
        self.unit = unit
        self.direction = direction
        self.summary = summary
        self.standIn = standIn
        self.value = value
    }

    /// The figure over the completed trials, or `nil` where none has it.
    package func distribution(over trials: some Sequence<Trial>) -> Distribution? {
        Distribution(trials.lazy.filter(\.isCompleted).compactMap(value))
    }

    /// The figure that a budget limits.
    package func limitable(_ trial: Trial) -> Double? { value(trial) ?? standIn?(trial) }

    /// The metric of a name; `nil` where none has it.
    package static func named(_ name: String) -> Metric? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
}
