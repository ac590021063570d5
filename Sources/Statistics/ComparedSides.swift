// SPDX-License-Identifier: Apache-2.0

/// Two sides of checked values, and everything that a judgement asks of them.
struct ComparedSides {
    private let base: Distribution
    private let head: Distribution
    private let rule: JudgementRule
    /// The whole that changes are relative to.
    private let scale: Double
    let effect: Double
    /// The smallest change that counts.
    let threshold: Double

    /// - Parameter scale: the whole that the values are part of, which makes changes relative; `nil` for the median of
    ///   the base.
    init(base: [Double], head: [Double], scale: Double?, rule: JudgementRule) throws(StatisticsError) {
        self.base = try Self.checked(base, .base)
        self.head = try Self.checked(head, .head)
        self.rule = rule
        let scale = scale ?? self.base.median
        guard scale.isFinite, scale > 0 else { throw .noScale(scale) }
        self.scale = scale
        effect = HodgesLehmann.shift(base, head) / scale
        threshold = rule.threshold(scale: scale)
    }

    /// Whether a side has so few values that nothing is decided on them.
    var hasTooFew: Bool { min(base.count, head.count) < TwoStageJudge.fewestTrials }

    /// The direction that these values themselves show.
    var direction: ChangeDirection { effect < 0 ? .better : .worse }

    /// The p-value of a change in one direction, or in either where none was chosen before.
    func p(_ direction: ChangeDirection?) -> Double {
        let alternative: MannWhitney.Alternative =
            switch direction {
            case .worse: .greater
            case .better: .less
            case nil: .twoSided
            }
        return MannWhitney.test(base.sorted, head.sorted, alternative: alternative).p
    }

    /// Whether the effect is large enough to count.
    func reachesThreshold(_ direction: ChangeDirection) -> Bool {
        direction == .worse ? effect >= threshold : effect <= -threshold
    }

    /// The smallest change that these trials could show; `nil` where they are so few that none has a one-sided p as small.
    func detectable(p: Double = 1) -> Double? {
        !hasTooFew && MannWhitney.smallestP(base.count, head.count) <= p ? visible : nil
    }

    /// The smallest change that is not lost in the noise.
    private var visible: Double? {
        variation.map {
            SmallestDetectableChange.relative(cv: $0, baseCount: base.count, headCount: head.count)
        }
    }

    /// Whether a change that matters could have gone unseen in the noise.
    var isBlind: Bool { visible.map { $0 > required } ?? true }

    /// How many trials on either side would do to see a change of the size that has to be seen.
    var neededTrials: Int { trials(toSee: required) }

    /// How many trials on either side would decide whether an effect of the size that was found is one.
    ///
    /// So many that a p this small can come at all, that the noise allows it, and more than there are.
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
            statistic: HodgesLehmann.shift)
        return interval.lowerBound / scale...interval.upperBound / scale
    }

    private var required: Double { rule.requiredDetection ?? threshold }

    /// The standard deviation of both sides over the whole: the root of the mean square, since variances add up.
    ///
    /// It is `nil` of a single value, and of values so large that their squares are none.
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
