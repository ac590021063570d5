// SPDX-License-Identifier: Apache-2.0

/// Two sides of checked values with the figures of a judgement.
struct ComparedSides {
    private let base: Distribution
    private let head: Distribution
    private let rule: JudgementRule
    /// The reference of relative changes.
    private let scale: Double
    let effect: Double
    /// The smallest significant change.
    let threshold: Double

    /// - Parameter scale: The whole that changes are relative to, or `nil` for the median of the base.
    init(base: [Double], head: [Double], scale: Double?, rule: JudgementRule) throws(StatisticsError) {
        self.base = try Self.checked(base, .base)
        self.head = try Self.checked(head, .head)
        self.rule = rule
        let scale = scale ?? self.base.median
        guard scale.isFinite, scale > 0 else { throw .noScale(scale) }
        self.scale = scale
        effect = MannWhitney.shift(base, head) / scale
        threshold = rule.threshold(scale: scale)
    }

    /// True if a side has too few values for any judgement.
    var hasTooFew: Bool { min(base.count, head.count) < TwoStageJudge.fewestTrials }

    var direction: ChangeDirection { effect < 0 ? .better : .worse }

    /// Returns the p-value of a change in one direction, or the two-sided one.
    func p(_ direction: ChangeDirection?) -> Double {
        let alternative: MannWhitney.Alternative =
            switch direction {
            case .worse: .greater
            case .better: .less
            case nil: .twoSided
            }
        return MannWhitney.test(base.sorted, head.sorted, alternative: alternative).p
    }

    func reachesThreshold(_ direction: ChangeDirection) -> Bool {
        direction == .worse ? effect >= threshold : effect <= -threshold
    }

    /// Returns the smallest detectable change, or `nil` if there are too few values for a one-sided p as small.
    func detectable(p: Double = 1) -> Double? {
        !hasTooFew && MannWhitney.smallestP(base.count, head.count) <= p ? visible : nil
    }

    /// The smallest change that exceeds the noise.
    private var visible: Double? {
        variation.map {
            SmallestDetectableChange.relative(cv: $0, baseCount: base.count, headCount: head.count)
        }
    }

    /// True if noise could hide a change of the required size.
    var isBlind: Bool { visible.map { $0 > required } ?? true }

    /// The number of trials on either side that detect a change of the required size.
    var neededTrials: Int { trials(toSee: required) }

    /// Returns the number of trials on either side that would decide about the effect found.
    ///
    /// It is enough for so small a p and for the noise, and more than there are.
    func decidingTrials(p: Double) -> Int {
        let change = abs(effect) < threshold ? required : abs(effect)
        return max(MannWhitney.fewestValues(reaching: p), trials(toSee: change, p: p), min(base.count, head.count) + 1)
    }

    private func trials(toSee change: Double, p: Double = SmallestDetectableChange.usualP) -> Int {
        let needed = variation.map { SmallestDetectableChange.trialsNeeded(cv: $0, change: change, p: p) }
        return max(TwoStageJudge.fewestTrials, needed ?? 0)
    }

    func interval(generator: inout SeededGenerator) -> ClosedRange<Double> {
        let interval = Bootstrap.interval(
            base.sorted, head.sorted, confidence: rule.confidence, resamples: rule.resamples, generator: &generator,
            statistic: MannWhitney.shift)
        return interval.lowerBound / scale...interval.upperBound / scale
    }

    private var required: Double { rule.requiredDetection ?? threshold }

    /// The standard deviation of both sides over the whole: the root of the mean square, since variances add up.
    ///
    /// It is `nil` for a single value, and if the squares overflow.
    private var variation: Double? {
        guard let first = base.standardDeviation, let second = head.standardDeviation else { return nil }
        let both = ((first * first + second * second) / 2).squareRoot() / scale
        return both.isFinite ? both : nil
    }

    private static func checked(_ values: [Double], _ side: ComparedSide) throws(StatisticsError) -> Distribution {
        if let index = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(side, index: index) }
        guard let distribution = Distribution(values) else { throw .empty(side) }
        return distribution
    }
}
