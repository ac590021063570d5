// SPDX-License-Identifier: Apache-2.0

package enum ChangeDirection: String, Codable, Hashable, Sendable, CaseIterable {
    /// The head takes more.
    case worse
    /// The head takes less.
    case better
}

/// Decides whether a head differs from its base: a quick look first, then fresh trials of what looked different.
///
/// Where there are no fresh trials to be had, one look decides: in both directions, since no other trials chose one. A
/// change that reaches the threshold and may be chance is never called none.
///
/// Values are sizes or growths in bytes; a growth may be none or negative. So changes are differences, in the unit of
/// the values, and are made relative to a whole: that of which the values are part (`scale`), for a growth the peak of
/// the whole process. Without one it is the base's median.
/// Both stages look at the two directions alike, so that an improvement is as hard to claim as a regression.
package struct TwoStageJudge: Hashable, Sendable {
    /// Fewer values on a side than this are never judged.
    package static let fewestTrials = 4

    /// When a difference counts.
    package let rule: JudgementRule

    package init(rule: JudgementRule = .interleaved) {
        self.rule = rule
    }

    /// The first stage: clean, or in need of fresh trials.
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

    /// The look that decides: at fresh trials in the direction that the first stage saw, or at all the trials there are.
    ///
    /// - Parameters:
    ///   - direction: the direction that earlier trials showed; `nil` where there are none, for both.
    ///   - corrected: the p-value as corrected for everything that was looked at; `nil` where this is all.
    ///   - tests: how many values were looked at together with these, themselves among them.
    package func confirm(
        _ direction: ChangeDirection?, base: [Double], head: [Double], scale: Double? = nil,
        corrected: Double? = nil, among tests: Int = 1, generator: inout SeededGenerator
    ) throws(StatisticsError) -> Confirmation {
        let sides = try ComparedSides(base: base, head: head, scale: scale, rule: rule)
        let p = corrected ?? sides.p(direction)
        let limit = direction == nil ? rule.singleLookP : rule.regressedP
        let looked = direction ?? sides.direction
        let counts = sides.reachesThreshold(looked)
        // Holm's correction multiplies the smallest p by all tests, and each of two directions is one.
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

    /// The p-value of the look that decides, to be corrected together with those of everything else that is looked at.
    package func confirmationP(
        _ direction: ChangeDirection?, base: [Double], head: [Double]
    ) throws(StatisticsError) -> Double {
        // The order of the values is all that decides, whatever they are part of.
        try ComparedSides(base: base, head: head, scale: 1, rule: rule).p(direction)
    }
}

/// What the first stage says of one case and metric.
package struct Screening: Hashable, Sendable {
    /// The answers of the first stage.
    package enum Verdict: Hashable, Sendable {
        /// Nothing that counts has changed.
        case clean
        /// It looks different in this direction; fresh trials decide.
        case needsConfirmation(ChangeDirection)
        /// The trials are too few or too noisy; so many on either side would do.
        case inconclusive(needed: Int)
    }

    /// The one-sided p-value in the direction of the effect, above which nothing is followed up.
    package let p: Double
    /// The change relative to the whole: 0.025 is +2.5 %.
    package let effect: Double
    /// The smallest change that counts, relative to the whole.
    package let threshold: Double
    /// The smallest change that these trials could show, relative to the whole, or `nil` where they are too few to show any.
    package let smallestDetectableChange: Double?
    package let verdict: Verdict
}

/// What the look that decides says of one case and metric.
package struct Confirmation: Hashable, Sendable {
    /// The answers of the look that decides.
    package enum Verdict: Hashable, Sendable {
        /// It takes more than before.
        case regressed
        /// It takes less than before.
        case improved
        /// Nothing that counts has changed: fresh trials do not bear out what the first ones seemed to show.
        case unchanged
        /// The trials are too few or too noisy; so many on either side would do.
        case inconclusive(needed: Int)
    }

    /// The p-value that decided, corrected for everything that was looked at; two-sided where one look decided.
    package let p: Double
    /// The change relative to the whole: 0.025 is +2.5 %.
    package let effect: Double
    /// The bootstrap interval of the effect; it is reported and decides nothing.
    package let interval: ClosedRange<Double>
    /// The smallest change that counts, relative to the whole.
    package let threshold: Double
    /// The smallest change that these trials could show, relative to the whole, or `nil` where they are too few to show any.
    package let smallestDetectableChange: Double?
    package let verdict: Verdict
}
