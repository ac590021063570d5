// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Two sides of checked values, and everything that a judgement asks of them.
struct ComparedSides {
    private let base: Distribution
    private let head: Distribution
    private let rule: JudgementRule
    /// The relative change of the head.
    let effect: Double
    /// The smallest relative change that counts.
    let threshold: Double

    init(base: [Double], head: [Double], rule: JudgementRule) throws(StatisticsError) {
        self.base = try Self.checked(base, .base)
        self.head = try Self.checked(head, .head)
        self.rule = rule
        effect = HodgesLehmann.relativeShift(base, head)
        threshold = rule.threshold(baseMedian: self.base.median)
    }

    /// Whether a side has so few values that nothing is decided on them.
    var hasTooFew: Bool { min(base.count, head.count) < TwoStageJudge.fewestTrials }

    /// The one-sided p-value.
    func p(_ direction: ChangeDirection) -> Double {
        MannWhitney.test(base.sorted, head.sorted, alternative: direction == .worse ? .greater : .less).p
    }

    /// Whether the effect is large enough to count.
    func reachesThreshold(_ direction: ChangeDirection) -> Bool {
        direction == .worse ? effect >= threshold : effect <= -threshold
    }

    /// The smallest relative change that these trials could see.
    var detectable: Double? {
        variation.map {
            SmallestDetectableChange.relative(cv: $0, baseCount: base.count, headCount: head.count)
        }
    }

    /// Whether a change that matters could have gone unseen.
    var isBlind: Bool { detectable.map { $0 > required } ?? true }

    /// How many trials on either side would do.
    var neededTrials: Int {
        let fewest = TwoStageJudge.fewestTrials
        return variation.map {
            max(fewest, SmallestDetectableChange.trialsNeeded(cv: $0, change: required))
        } ?? fewest
    }

    /// The interval of the effect, drawn on the logarithms.
    func interval(generator: inout SeededGenerator) -> ClosedRange<Double> {
        let interval = Bootstrap.interval(
            HodgesLehmann.logarithms(base.sorted), HodgesLehmann.logarithms(head.sorted),
            confidence: rule.confidence, resamples: rule.resamples, generator: &generator,
            statistic: HodgesLehmann.shift)
        return expm1(interval.lowerBound)...expm1(interval.upperBound)
    }

    private var required: Double { rule.requiredDetection ?? threshold }

    /// The coefficient of variation of both sides: the root of the mean square, since variances add up.
    ///
    /// It is `nil` of a single value, and of values so large that their squares are none.
    private var variation: Double? {
        guard let first = base.coefficientOfVariation, let second = head.coefficientOfVariation else { return nil }
        let both = ((first * first + second * second) / 2).squareRoot()
        return both.isFinite ? both : nil
    }

    private static func checked(_ values: [Double], _ side: ComparedSide) throws(StatisticsError) -> Distribution {
        if let index = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(side, index: index) }
        if let index = values.firstIndex(where: { $0 <= 0 }) { throw .notPositive(side, index: index) }
        guard let distribution = Distribution(values) else { throw .empty(side) }
        return distribution
    }
}
