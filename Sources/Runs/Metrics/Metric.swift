// SPDX-License-Identifier: Apache-2.0

package import Statistics
package import TrialKit

/// A figure of a trial: its names, its unit, how it is read, and which way is better.
///
/// The name is the column of `trials.csv` and the word in the column `metric` of `summary.csv`.
package struct Metric: Sendable {
    /// The base units.
    package typealias Unit = FigureDeclaration.Unit
    /// Which way a figure is better.
    package typealias Direction = FigureDeclaration.Direction

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
}
