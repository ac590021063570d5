// SPDX-License-Identifier: Apache-2.0

/// Two sides of checked values with the figures of a judgement; each host's values stand apart.
struct ComparedSides {
    private let strata: [Stratum]
    private let rule: JudgementRule
    /// The reference of relative changes.
    private let scale: Double
    let effect: Double
    let hostEffects: [Double]
    let threshold: Double

    /// - Parameter scale: The whole that changes are relative to, or `nil` for the median of the base.
    init(_ strata: [Stratum], scale: Double?, rule: JudgementRule) throws(StatisticsError) {
        guard !strata.isEmpty else { throw .empty(.base) }
        var medians: [Double] = []
        var sorted: [Stratum] = []
        for stratum in strata {
            let (base, head) = (try Self.checked(stratum.base, .base), try Self.checked(stratum.head, .head))
            medians.append(base.median)
            // The order of trials must not matter to what is drawn from them.
            sorted.append(Stratum(base: base.sorted, head: head.sorted))
        }
        let strata = sorted
        (self.strata, self.rule) = (strata, rule)
        let scale = scale ?? medians.reduce(0, +) / Double(medians.count)
        guard scale.isFinite, scale > 0 else { throw .noScale(scale) }
        self.scale = scale
        effect = VanElteren.shift(strata) / scale
        hostEffects = strata.count == 1 ? [effect] : strata.map { VanElteren.shift([$0]) / scale }
        threshold = rule.threshold(scale: scale)
    }

    private var count: Int {
        min(strata.reduce(0) { $0 + $1.base.count }, strata.reduce(0) { $0 + $1.head.count })
    }

    var hasTooFew: Bool { count < TwoStageJudge.fewestTrials }

    func reachesThreshold(_ direction: TwoStageJudge.ChangeDirection) -> Bool { reaches(effect, direction) }

    private func reaches(_ effect: Double, _ direction: TwoStageJudge.ChangeDirection) -> Bool {
        direction == .worse ? effect >= threshold : effect <= -threshold
    }

    /// Returns the smallest detectable change, or `nil` if there are too few values for a one-sided p as small.
    func detectable(p: Double = 1) -> Double? {
        !hasTooFew && VanElteren.smallestP(strata) <= p ? visible : nil
    }

    /// The smallest change that exceeds the noise.
    private var visible: Double? {
        variation.map { cv in
            // Each host's difference has the weight of its own precision.
            let precision = strata.reduce(0) { sum, stratum in
                let (base, head) = (Double(stratum.base.count), Double(stratum.head.count))
                return sum + base * head / (base + head)
            }
            return SmallestDetectableChange.standardErrors * cv / precision.squareRoot()
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
        return max(MannWhitney.fewestValues(reaching: p), trials(toSee: change, p: p), count + 1)
    }

    private func trials(toSee change: Double, p: Double = SmallestDetectableChange.usualP) -> Int {
        let needed = variation.map { SmallestDetectableChange.trialsNeeded(cv: $0, change: change, p: p) }
        return max(TwoStageJudge.fewestTrials, needed ?? 0)
    }

    /// Returns the bootstrap interval of the effect on these hosts, each of which is drawn from by itself.
    func interval(generator: inout SeededGenerator) -> ClosedRange<Double> {
        let interval = Bootstrap.interval(
            strata, confidence: rule.confidence, resamples: rule.resamples, generator: &generator,
            statistic: VanElteren.shift)
        return interval.lowerBound / scale...interval.upperBound / scale
    }

    /// The mean change over hosts like these, or `nil` for fewer than three.
    var acrossHosts: RandomEffects? {
        guard strata.count >= RandomEffects.fewestHosts else { return nil }
        let variances = strata.map { stratum in
            [stratum.base, stratum.head].reduce(0) { sum, values in
                let deviation = (Distribution(values)?.standardDeviation ?? 0) / scale
                return sum + deviation * deviation / Double(values.count)
            }
        }
        // A shift is a little less certain than a difference of means, by the efficiency of ranks.
        return RandomEffects(
            hostEffects, variances: variances.map { $0 * .pi / 3 }, confidence: rule.confidence)
    }

    private var required: Double { rule.requiredDetection ?? threshold }

    /// The standard deviation of both sides over the whole: the root of the mean square, since variances add up.
    ///
    /// It is `nil` if a side has a single value on every host, and if the squares overflow.
    private var variation: Double? {
        var (squares, weights) = (0.0, 0)
        for stratum in strata {
            guard let base = Distribution(stratum.base)?.standardDeviation,
                let head = Distribution(stratum.head)?.standardDeviation
            else { continue }
            let weight = stratum.base.count + stratum.head.count
            squares += (base * base + head * head) / 2 * Double(weight)
            weights += weight
        }
        guard weights > 0 else { return nil }
        let both = (squares / Double(weights)).squareRoot() / scale
        return both.isFinite ? both : nil
    }

    private static func checked(_ values: [Double], _ side: ComparedSide) throws(StatisticsError) -> Distribution {
        if let index = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(side, index: index) }
        guard let distribution = Distribution(values) else { throw .empty(side) }
        return distribution
    }
}

/// The tests of one comparison: of all hosts together, and of each, since a change on one of five disappears among them.
extension ComparedSides {
    /// A test that may decide a comparison.
    struct Look {
        /// The p-value, as large as it has to be for several tests of one comparison.
        let p: Double
        let direction: TwoStageJudge.ChangeDirection
        let counts: Bool
        let host: Int?
    }

    /// The share of the error rate that the test of all hosts has; the hosts' own tests have the rest.
    private static let jointShare = 0.9

    /// Returns the test that decides.
    ///
    /// It is the one with the smallest p of those whose change counts; an apparent regression goes before an improvement.
    /// A single host counts only if its change is no chance: of few noisy values, some host always seems changed.
    /// - Parameter direction: The direction to test, or `nil` for two-sided tests.
    func look(_ direction: TwoStageJudge.ChangeDirection?) -> Look {
        let joint = look(strata, effect, direction, host: nil, share: strata.count == 1 ? 1 : Self.jointShare)
        guard strata.count > 1 else { return joint }
        let share = (1 - Self.jointShare) / Double(strata.count)
        let own = strata.indices.map { look([strata[$0]], hostEffects[$0], direction, host: $0, share: share) }
        let found = own.filter { $0.counts && $0.p <= rule.singleLookP } + (joint.counts ? [joint] : [])
        let worse = found.filter { $0.direction == .worse && $0.p <= rule.singleLookP }
        return (worse.isEmpty ? found : worse).min { $0.p < $1.p } ?? joint
    }

    private func look(
        _ strata: [Stratum], _ effect: Double, _ direction: TwoStageJudge.ChangeDirection?, host: Int?, share: Double
    ) -> Look {
        let alternative: MannWhitney.Alternative =
            switch direction {
            case .worse: .greater
            case .better: .less
            case nil: .twoSided
            }
        let looked = direction ?? (effect < 0 ? .better : .worse)
        return Look(
            p: min(1, VanElteren.p(strata, alternative: alternative) / share), direction: looked,
            counts: reaches(effect, looked), host: host)
    }
}
