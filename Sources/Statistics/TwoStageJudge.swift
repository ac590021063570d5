// SPDX-License-Identifier: Apache-2.0

package enum ChangeDirection: String, Codable, Hashable, Sendable, CaseIterable {
    /// The head takes more.
    case worse
    /// The head takes less.
    case better
}

/// Decides whether head and base differ: a first stage, then fresh trials of what seems changed.
///
/// Without fresh trials, a single two-sided stage decides. A change that reaches the threshold and may be chance is
/// never reported as none.
///
/// Values are sizes or growths in bytes, which may be zero or negative. Changes are therefore relative to a whole
/// (`scale`), for a growth the peak of the process; by default the median of the base. Both directions are treated
/// alike, so that an improvement is as hard to claim as a regression.
package struct TwoStageJudge: Hashable, Sendable {
    /// The smallest number of values on a side that is judged.
    package static let fewestTrials = 4

    package let rule: JudgementRule

    package init(rule: JudgementRule = .interleaved) {
        self.rule = rule
    }

    /// Runs the first stage.
    package func screen(
        base: [Double], head: [Double], scale: Double? = nil
    ) throws(StatisticsError) -> Screening {
        let sides = try ComparedSides(base: base, head: head, scale: scale, rule: rule)
        let direction = sides.direction
        let p = sides.p(direction)
        let verdict: Screening.Verdict
        if sides.hasTooFew {
            verdict = .inconclusive(needed: max(rule.n1, sides.neededTrials))
        } else if p <= rule.cleanP, sides.reachesThreshold(direction) {
            verdict = .needsConfirmation(direction)
        } else if sides.isBlind {
            verdict = .inconclusive(needed: sides.neededTrials)
        } else {
            verdict = .clean
        }
        return Screening(
            p: p, effect: sides.effect, threshold: sides.threshold,
            smallestDetectableChange: sides.detectable(), verdict: verdict)
    }

    /// Returns the bootstrap interval of the effect, for information only.
    /// - Parameter seed: The seed of the resamples.
    package func interval(
        base: [Double], head: [Double], scale: Double? = nil, seed: UInt64
    ) throws(StatisticsError) -> ClosedRange<Double> {
        var generator = SeededGenerator(seed: seed)
        return try ComparedSides(base: base, head: head, scale: scale, rule: rule).interval(generator: &generator)
    }

    /// Runs the deciding stage: on fresh trials in the direction of the first stage, or on all trials.
    ///
    /// - Parameters:
    ///   - direction: The direction shown by earlier trials, or `nil` for a two-sided test.
    ///   - corrected: The p-value corrected for all tests, or `nil` if this is the only one.
    ///   - tests: The number of tests, including this one.
    package func confirm(
        _ direction: ChangeDirection?, base: [Double], head: [Double], scale: Double? = nil,
        corrected: Double? = nil, among tests: Int = 1, generator: inout SeededGenerator
    ) throws(StatisticsError) -> Confirmation {
        let sides = try ComparedSides(base: base, head: head, scale: scale, rule: rule)
        let p = corrected ?? sides.p(direction)
        let limit = direction == nil ? rule.singleLookP : rule.regressedP
        let looked = direction ?? sides.direction
        let counts = sides.reachesThreshold(looked)
        // Holm's correction multiplies the smallest p by the number of tests, and each of two directions is one.
        let share = limit / Double(tests * (direction == nil ? 2 : 1))
        let verdict: Confirmation.Verdict
        if sides.hasTooFew || (counts && p > limit) {
            verdict = .inconclusive(needed: max(direction == nil ? 0 : rule.n2, sides.decidingTrials(p: share)))
        } else if counts {
            verdict = looked == .worse ? .regressed : .improved
        } else if sides.isBlind {
            verdict = .inconclusive(needed: sides.neededTrials)
        } else {
            verdict = .unchanged
        }
        return Confirmation(
            p: p, effect: sides.effect, interval: sides.interval(generator: &generator),
            threshold: sides.threshold, smallestDetectableChange: sides.detectable(p: share), verdict: verdict)
    }

    /// Returns the p-value of the deciding stage before correction.
    package func confirmationP(
        _ direction: ChangeDirection?, base: [Double], head: [Double]
    ) throws(StatisticsError) -> Double {
        // Only the order of the values matters, not their scale.
        try ComparedSides(base: base, head: head, scale: 1, rule: rule).p(direction)
    }
}

/// The result of the first stage for one case and metric.
package struct Screening: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        /// No significant change.
        case clean
        /// A seeming change in this direction, to be decided by fresh trials.
        case needsConfirmation(ChangeDirection)
        /// Too few trials for the noise; `needed` on either side would be enough.
        case inconclusive(needed: Int)
    }

    /// The one-sided p-value in the direction of the effect.
    package let p: Double
    /// The change relative to the whole: 0.025 is +2.5 %.
    package let effect: Double
    /// The smallest significant change, relative to the whole.
    package let threshold: Double
    /// The smallest detectable change, relative to the whole, or `nil` if there are too few trials.
    package let smallestDetectableChange: Double?
    package let verdict: Verdict
}

/// The result of the deciding stage for one case and metric.
package struct Confirmation: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        case regressed
        case improved
        /// No significant change: fresh trials do not confirm the first ones.
        case unchanged
        /// Too few trials for the noise; `needed` on either side would be enough.
        case inconclusive(needed: Int)
    }

    /// The p-value, corrected for all tests; two-sided after a single stage.
    package let p: Double
    /// The change relative to the whole: 0.025 is +2.5 %.
    package let effect: Double
    /// The bootstrap interval of the effect, for information only.
    package let interval: ClosedRange<Double>
    /// The smallest significant change, relative to the whole.
    package let threshold: Double
    /// The smallest detectable change, relative to the whole, or `nil` if there are too few trials.
    package let smallestDetectableChange: Double?
    package let verdict: Verdict
}
