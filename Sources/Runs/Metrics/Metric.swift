// SPDX-License-Identifier: Apache-2.0

package import Statistics
package import TrialKit

/// A figure of a trial: its names, its unit, its value, and the direction that is better.
///
/// The name is the column of `trials.csv` and the value of the column `metric` of `summary.csv`.
package struct Metric: Sendable {
    package typealias Unit = FigureDeclaration.Unit
    package typealias Direction = FigureDeclaration.Direction

    /// The name, with its unit as suffix.
    package let name: String
    /// The name in budgets.
    package let shortName: String
    package let unit: Unit
    package let direction: Direction
    /// The description, as a part of a sentence.
    package let summary: String
    /// The value of a trial, or `nil` if not available.
    package let value: @Sendable (Trial) -> Double?
    /// The value that budgets use if the metric is not available, so that limits keep their meaning; mostly `nil`.
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

    /// Returns the values of the completed trials, or `nil` if none has one.
    package func distribution(over trials: TrialList) -> Distribution? {
        var values: [Double] = []
        values.reserveCapacity(trials.count)
        // In a loop, which copies a trial once: a trial has kilobytes, and a table asks for a hundred metrics.
        for trial in trials where trial.isCompleted {
            if let value = value(trial) { values.append(value) }
        }
        return Distribution(values)
    }

    /// Returns the value that a budget limits.
    package func limitable(_ trial: Trial) -> Double? { value(trial) ?? standIn?(trial) }
}
