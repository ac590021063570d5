// SPDX-License-Identifier: Apache-2.0

/// One run of a command, in fresh processes.
package struct ExecTrial: Codable, Hashable, Sendable {
    /// Its place in the order in which runs were made, from 1.
    package var number: Int
    /// The name of the case.
    package var name: String
    /// Whether it was made to warm up, and counts for nothing.
    package var isWarmup: Bool
    /// How it ended.
    package var outcome: ExecOutcome
    /// What it cost, or `nil` where it did not come so far.
    package var measurement: ExecMeasurement?

    package init(
        number: Int, name: String, isWarmup: Bool = false, outcome: ExecOutcome, measurement: ExecMeasurement?
    ) {
        self.number = number
        self.name = name
        self.isWarmup = isWarmup
        self.outcome = outcome
        self.measurement = measurement
    }

    /// Whether its figures count.
    package func counts(_ settings: ExecSettings) -> Bool {
        measurement != nil && !isWarmup
            && (outcome.kind == .completed || settings.ignoresFailure && outcome.cameToAnEnd)
    }

    /// Whether nothing went wrong that makes another run useless.
    package func isGood(_ settings: ExecSettings) -> Bool {
        outcome.kind == .completed || settings.ignoresFailure && outcome.cameToAnEnd
    }

    private enum CodingKeys: String, CodingKey {
        case name = "command"
        case number = "trial"
        case isWarmup = "warmup"
        case outcome, measurement
    }
}
