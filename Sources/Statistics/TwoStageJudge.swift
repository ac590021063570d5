// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which a difference between base and head is significant.
package struct JudgementRule: Hashable, Sendable {
    package var n1 = 12
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

    package init(rule: JudgementRule = .interleaved) { self.rule = rule }

    package func screen(
        base: [Double], head: [Double], scale: Double? = nil
    ) throws(StatisticsError) -> Screening {
        let sides = try ComparedSides([Stratum(base: base, head: head)], scale: scale, rule: rule)
        let direction: ChangeDirection = sides.effect < 0 ? .better : .worse
        let p = sides.look(direction).p
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

    package func interval(
        base: [Double], head: [Double], scale: Double? = nil, seed: UInt64
    ) throws(StatisticsError) -> ClosedRange<Double> {
        var generator = SeededGenerator(seed: seed)
        return try ComparedSides([Stratum(base: base, head: head)], scale: scale, rule: rule)
            .interval(generator: &generator)
    }

    /// Runs the deciding stage: on fresh trials in the direction of the first stage, or on all trials.
    package func confirm(
        _ direction: ChangeDirection?, _ strata: [Stratum], scale: Double? = nil,
        corrected: Double? = nil, among tests: Int = 1, generator: inout SeededGenerator
    ) throws(StatisticsError) -> Confirmation {
        let sides = try ComparedSides(strata, scale: scale, rule: rule)
        let look = sides.look(direction)
        let p = corrected ?? look.p
        let limit = direction == nil ? rule.singleLookP : rule.regressedP
        // Holm's correction multiplies the smallest p by the number of tests, and each of two directions is one.
        let share = limit / Double(tests * (direction == nil ? 2 : 1))
        let verdict: Confirmation.Verdict
        if sides.hasTooFew || (look.counts && p > limit) {
            verdict = .inconclusive(needed: max(direction == nil ? 0 : rule.n2, sides.decidingTrials(p: share)))
        } else if look.counts {
            verdict = look.direction == .worse ? .regressed : .improved
        } else if sides.isBlind {
            verdict = .inconclusive(needed: sides.neededTrials)
        } else {
            verdict = .unchanged
        }
        return Confirmation(
            p: p, effect: sides.effect, interval: sides.interval(generator: &generator),
            threshold: sides.threshold, smallestDetectableChange: sides.detectable(p: share), verdict: verdict,
            hostEffects: sides.hostEffects, decidingHost: look.host, acrossHosts: sides.acrossHosts)
    }

    package func confirmationP(
        _ direction: ChangeDirection?, _ strata: [Stratum], scale: Double? = nil
    ) throws(StatisticsError) -> Double {
        try ComparedSides(strata, scale: scale, rule: rule).look(direction).p
    }

    /// The result of the first stage for one case and metric.
    package struct Screening: Hashable, Sendable {
        package enum Verdict: Hashable, Sendable {
            case clean
            /// A seeming change in this direction, to be decided by fresh trials.
            case needsConfirmation(ChangeDirection)
            /// Too few trials for the noise; `needed` on either side would be enough.
            case inconclusive(needed: Int)
        }

        package let p: Double
        /// The change relative to the whole: 0.025 is +2.5 %.
        package let effect: Double
        /// The smallest significant change, relative to the whole.
        package let threshold: Double
        /// The smallest detectable change, relative to the whole, or `nil` if there are too few trials.
        package let smallestDetectableChange: Double?
        package let verdict: Verdict
    }

    package enum ChangeDirection: String, Codable, Hashable, Sendable, CaseIterable {
        case worse
        case better
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
        package let interval: ClosedRange<Double>
        /// The smallest significant change, relative to the whole.
        package let threshold: Double
        /// The smallest detectable change, relative to the whole, or `nil` if there are too few trials.
        package let smallestDetectableChange: Double?
        package let verdict: Verdict
        package let hostEffects: [Double]
        /// The place of the host that decided alone, or `nil` if all did together.
        package let decidingHost: Int?
        /// The mean change over hosts like these, relative to the whole; `nil` for fewer than three.
        package let acrossHosts: RandomEffects?
    }
}

/// All comparisons of one judgement; each p-value is corrected for their number.
package struct JudgedFamily {
    /// Two sides of one metric with the way to compare them.
    package struct Member: Hashable, Sendable {
        package var strata: [Stratum]
        /// The reference of relative changes, or `nil` for the median of the base.
        package var scale: Double?
        /// The direction shown by earlier trials, or `nil` without any.
        package var direction: TwoStageJudge.ChangeDirection?
        package var rule: JudgementRule

        package init(
            _ strata: [Stratum], scale: Double? = nil, direction: TwoStageJudge.ChangeDirection? = nil,
            rule: JudgementRule
        ) {
            (self.strata, self.scale, self.direction) = (strata, scale, direction)
            self.rule = rule
        }
    }

    private let members: [Member]
    private let settledCount: Int

    /// - Parameter settledCount: The number of comparisons settled by the first stage. They count as tests because the
    ///   stages may share values, such as those of a stored baseline, which give no fresh chance.
    package init(_ members: [Member], besides settledCount: Int = 0) {
        (self.members, self.settledCount) = (members, settledCount)
    }

    /// Returns the results in the order of the members; those that cannot be judged count as tests, too.
    /// - Parameter seed: The seed of each interval, which is therefore independent of other members.
    package func confirmations(seed: UInt64) -> [Result<TwoStageJudge.Confirmation, StatisticsError>] {
        let p = members.map { member in
            let judge = TwoStageJudge(rule: member.rule)
            return (try? judge.confirmationP(member.direction, member.strata, scale: member.scale)) ?? 1
        }
        let settled = [Double](repeating: 1, count: settledCount)
        return zip(members, JudgedFamily.holmAdjusted(p + settled)).map { member, corrected in
            Result { () throws(StatisticsError) in
                var generator = SeededGenerator(seed: seed)
                return try TwoStageJudge(rule: member.rule).confirm(
                    member.direction, member.strata, scale: member.scale, corrected: corrected,
                    among: members.count + settledCount, generator: &generator)
            }
        }
    }
}

extension JudgedFamily {
    /// Returns p-values corrected for multiple tests in the order given: rejecting those up to α errs with a probability of at most α.
    ///
    /// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 1979.
    package static func holmAdjusted(_ values: [Double]) -> [Double] {
        precondition(values.allSatisfy { (0...1).contains($0) }, "a p-value is a probability")
        var result = values
        var largest = 0.0
        for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            largest = max(largest, min(1, Double(values.count - rank) * values[index]))
            result[index] = largest
        }
        return result
    }
}

/// The smallest relative change that a number of trials detects in a given noise.
///
/// Noether, "Sample size determination for some common nonparametric tests", JASA 82(398), 1987, in the form for a
/// shift: a one-sided test at 0.005 (2.576) with a power of 90 % (1.282), divided by the square root of 3 ÷ π, the
/// efficiency of the Mann–Whitney test under normal noise, gives 3.95 standard errors.
package enum SmallestDetectableChange {
    package static let standardErrors = 3.95

    /// Returns the change for n trials on either side: 3.95 · CV · √(2 ÷ n).
    package static func relative(cv: Double, n: Int) -> Double {
        relative(cv: cv, baseCount: n, headCount: n)
    }

    /// The one-sided p that ``standardErrors`` is based on.
    package static let usualP = 0.005

    /// Returns the number of trials on either side that makes a change detectable.
    package static func trialsNeeded(cv: Double, change: Double, p: Double = usualP) -> Int {
        precondition(cv >= 0 && change > 0, "a positive change amid noise that is none or more")
        let noise = cv * strictness(p)
        let root = standardErrors * noise / change
        let count = (2 * root * root).rounded(.up)
        // Noise of a thousand times the change already needs more trials than feasible.
        guard count < 1e9 else { return 1_000_000_000 }
        let needed = max(1, Int(count))
        return relative(cv: noise, n: needed) > change ? needed + 1 : needed
    }

    /// Returns the factor on the standard errors for another p at the same power.
    private static func strictness(_ p: Double) -> Double {
        guard p != usualP else { return 1 }
        let missed = NormalDistribution.upperQuantile(0.1)
        return (NormalDistribution.upperQuantile(p) + missed) / (NormalDistribution.upperQuantile(usualP) + missed)
    }

    /// Returns the change for different numbers of trials.
    package static func relative(cv: Double, baseCount: Int, headCount: Int) -> Double {
        precondition(cv >= 0 && baseCount > 0 && headCount > 0, "noise that is none or more, and some trials")
        return standardErrors * cv * (1 / Double(baseCount) + 1 / Double(headCount)).squareRoot()
    }
}
