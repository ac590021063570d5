// SPDX-License-Identifier: Apache-2.0

/// When a difference between base and head counts.
package struct JudgementRule: Hashable, Sendable {
    /// How many pairs of trials the first stage looks at.
    package var n1 = 12
    /// How many fresh pairs the second stage looks at.
    package var n2 = 30
    /// Above this p the first stage calls a case clean.
    package var cleanP = 0.10
    /// Up to this p the second stage calls a case regressed, or improved: of one side, which the first stage chose.
    package var regressedP = 0.005
    /// Up to this p a single look calls a case changed: of two sides, as no trials before say in which direction.
    package var singleLookP = 0.01
    /// The smallest change that counts, relative to the whole that the values are part of.
    package var minimumEffect = 0.01
    /// The smallest change that counts, in the unit of the values: 64 KiB, or 0 for values that are no bytes.
    package var minimumBytes = 65_536.0
    /// The same of what start and warm-up cost, or `nil` for the same.
    package var minimumStartBytes: Double?
    /// The standard error of the change between two measurements of the same build, or `nil` if unknown.
    ///
    /// It is in the unit of the values. Nothing below three of these counts.
    package var noiseFloor: Double?
    /// The change, relative to the whole, that the trials have to be able to see, or `nil` for the smallest that counts.
    ///
    /// A case that is too noisy for it and was not found to have changed is inconclusive, not clean.
    package var requiredDetection: Double?
    package var confidence = 0.99
    /// How many samples the interval is drawn from.
    package var resamples = 2000

    /// Creates the rule for two builds that are measured in pairs on one machine.
    package init() {}

    /// The rule for two builds that are measured in pairs on one machine.
    package static let interleaved = JudgementRule()

    /// The rule for a stored baseline: nothing below 2 % or 1 MiB counts, of start and warm-up nothing below 256 KiB.
    ///
    /// Drift between two times falls on one side alone, and the machines may be two: their net figures were seen to
    /// differ by up to 0.8 %. What a fetch holds also depends on how busy a machine is, a stream by 0.7 MiB; what start
    /// and warm-up cost does not.
    package static let storedBaseline: JudgementRule = {
        var rule = JudgementRule()
        rule.minimumEffect = 0.02
        rule.minimumBytes = 1_048_576
        rule.minimumStartBytes = 262_144
        return rule
    }()

    /// How many standard errors of the machine's own noise a change has to be.
    static let noiseFloors = 3.0

    /// The smallest change that counts, relative to a whole of this size.
    package func threshold(scale: Double) -> Double {
        max(minimumEffect, minimumBytes / scale, Self.noiseFloors * (noiseFloor ?? 0) / scale)
    }
}
