// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which a difference between base and head is significant.
package struct JudgementRule: Hashable, Sendable {
    /// The number of pairs in the first stage.
    package var n1 = 12
    /// The number of fresh pairs in the second stage.
    package var n2 = 30
    /// The p above which the first stage finds no change.
    package var cleanP = 0.10
    /// The one-sided p up to which the second stage confirms a change in the direction found by the first.
    package var regressedP = 0.005
    /// The two-sided p up to which a single stage finds a change, as no earlier trials chose a direction.
    package var singleLookP = 0.01
    /// The smallest significant change, relative to the whole.
    package var minimumEffect = 0.01
    /// The smallest significant change in the unit of the values: 64 KiB, or 0 if they are not bytes.
    package var minimumBytes = 65_536.0
    /// The same for start and warm-up, or `nil` for ``minimumBytes``.
    package var minimumStartBytes: Double?
    /// The standard error of the change between two measurements of one build, or `nil` if unknown.
    ///
    /// It is in the unit of the values. A significant change is at least three times as large.
    package var noiseFloor: Double?
    /// The relative change that the trials have to detect, or `nil` for the smallest significant one.
    ///
    /// A case too noisy for it, and without a significant change, is inconclusive instead of clean.
    package var requiredDetection: Double?
    package var confidence = 0.99
    /// The number of resamples for the interval.
    package var resamples = 2000

    package init() {}

    /// The rule for two builds measured in pairs on one machine.
    package static let interleaved = JudgementRule()

    /// The rule for a stored baseline: at least 2 % and 1 MiB, or 256 KiB for start and warm-up.
    ///
    /// Drift affects one side alone, and the machines may differ: net figures on two machines differed by up to 0.8 %.
    /// The memory of a fetch also depends on the load of the machine, by 0.7 MiB for a stream; the cost of start and
    /// warm-up does not.
    package static let storedBaseline: JudgementRule = {
        var rule = JudgementRule()
        rule.minimumEffect = 0.02
        rule.minimumBytes = 1_048_576
        rule.minimumStartBytes = 262_144
        return rule
    }()

    /// The smallest significant change in standard errors of the machine's noise.
    static let noiseFloors = 3.0

    /// Returns the smallest significant change, relative to a whole of this size.
    package func threshold(scale: Double) -> Double {
        max(minimumEffect, minimumBytes / scale, Self.noiseFloors * (noiseFloor ?? 0) / scale)
    }
}
