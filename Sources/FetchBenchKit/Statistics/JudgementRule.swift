// SPDX-License-Identifier: Apache-2.0

/// When a difference between base and head counts.
public struct JudgementRule: Hashable, Sendable {
    /// How many pairs of trials the first stage looks at.
    public var n1 = 12
    /// How many fresh pairs the second stage looks at.
    public var n2 = 30
    /// Above this p the first stage calls a case clean.
    public var cleanP = 0.10
    /// Up to this p the second stage calls a case regressed, or improved.
    public var regressedP = 0.005
    /// The smallest relative change that counts.
    public var minimumEffect = 0.01
    /// The smallest change that counts, in the unit of the values: 256 KiB, or 0 for values that are no bytes.
    public var minimumBytes = 262_144.0
    /// The relative change that a machine shows between two measurements of the same build, or `nil` if unknown.
    public var noiseFloor: Double?
    /// The relative change that the trials have to be able to see, or `nil` for the smallest one that counts.
    ///
    /// A case that is too noisy for it and was not found to have changed is inconclusive, not clean.
    public var requiredDetection: Double?
    /// The confidence of the interval that is reported.
    public var confidence = 0.99
    /// How many samples the interval is drawn from.
    public var resamples = 2000

    /// Creates the rule for two builds that are measured in pairs on one machine.
    public init() {}

    /// The rule for two builds that are measured in pairs on one machine.
    public static let interleaved = JudgementRule()

    /// The rule for a stored baseline: nothing below 5 % counts, since drift falls on one side alone.
    public static let storedBaseline: JudgementRule = {
        var rule = JudgementRule()
        rule.minimumEffect = 0.05
        return rule
    }()

    /// The smallest relative change that counts for a base of this median.
    public func threshold(baseMedian: Double) -> Double {
        max(minimumEffect, minimumBytes / baseMedian, noiseFloor ?? 0)
    }
}
