// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// Judges one case: each metric by the two stages, the metrics of a case corrected together.
package struct CaseJudge: Sendable {
    /// When a difference counts.
    package let rule: JudgementRule
    private let seed: UInt64
    private let noise: NoiseFloors

    /// Creates a judge.
    /// - Parameters:
    ///   - seed: what the bootstrap's samples are drawn from.
    ///   - noise: how far two measurements of one build lie apart on this machine.
    package init(rule: JudgementRule, seed: UInt64, noise: NoiseFloors) {
        self.rule = rule
        self.seed = seed
        self.noise = noise
    }

    /// Whether any metric of a case looks changed, so that only fresh trials can tell.
    func needsConfirmation(_ values: CaseValues) -> Bool {
        guard values.shortage == nil else { return false }
        return values.metrics.contains { metric in
            guard case .looksChanged = screening(metric, values) else { return false }
            return true
        }
    }

    /// The findings of a case, one for each metric.
    /// - Parameter confirmation: fresh trials; `nil` where there are none to be had, or none were needed.
    func findings(of values: CaseValues, confirmation: CaseValues?) -> [Finding] {
        if let shortage = values.shortage ?? confirmation?.shortage {
            return [draft(.netPeakGrowth, values, .missing, reason: shortage)]
        }
        guard !values.metrics.isEmpty else {
            return [draft(.netPeakGrowth, values, .missing, reason: "the sides have no figure in common")]
        }
        let judged = confirmation ?? values
        let screenings = values.metrics.map { (metric: $0, screening: screening($0, values)) }
        let directions = screenings.compactMap { entry -> (Metric, ChangeDirection)? in
            guard case .looksChanged(let direction, _) = entry.screening else { return nil }
            return (entry.metric, direction)
        }
        let adjusted = adjustedP(directions, judged)
        var generator = SeededGenerator(seed: seed)
        return screenings.map { metric, screening in
            switch screening {
            case .unanswerable(let reason):
                draft(metric, values, .inconclusive, reason: reason)
            case .settled(let screening):
                settled(metric, values, screening)
            case .looksChanged(let direction, _):
                confirmed(
                    metric, judged, direction, p: adjusted[metric.name], isFresh: confirmation != nil,
                    generator: &generator)
            }
        }
    }

    private enum Look {
        case unanswerable(String)
        case settled(Screening)
        case looksChanged(ChangeDirection, Screening)
    }

    private func screening(_ metric: Metric, _ values: CaseValues) -> Look {
        guard let sides = values.values[metric.name] else { return .unanswerable("one side has no values") }
        do throws(StatisticsError) {
            let screening = try judge(of: metric, values).screen(
                base: sides.base, head: sides.head, scale: values.scale(of: metric))
            if case .needsConfirmation(let direction) = screening.verdict { return .looksChanged(direction, screening) }
            return .settled(screening)
        } catch {
            return .unanswerable("\(error)")
        }
    }

    /// The judge of a metric, which has to be able to see a change of 2 % or 1 MiB, whichever is larger; of a scenario's
    /// figure, the change that the scenario names.
    private func judge(of metric: Metric, _ values: CaseValues) -> TwoStageJudge {
        var rule = rule(for: metric.name)
        rule.noiseFloor = noise[values.cell.identifier, metric.name] ?? rule.noiseFloor
        if JudgedMetric.named(metric.name)?.step == nil, let scale = values.scale(of: metric), scale > 0 {
            rule.requiredDetection = max(0.02, 1_048_576 / scale, rule.threshold(scale: scale))
        }
        return TwoStageJudge(rule: rule)
    }

    /// When a difference of a metric counts.
    func rule(for metric: String) -> JudgementRule {
        guard let judged = JudgedMetric.named(metric) else { return rule }
        var own = rule
        if judged.part == .startAndWarmup {
            own.minimumBytes = rule.minimumStartBytes ?? rule.minimumBytes
        }
        if let step = judged.step {
            own.minimumEffect = 0
            own.minimumBytes = step.smallest
            own.requiredDetection = step.visible
        }
        return own
    }

    /// Holm's correction over the metrics of the case that look changed.
    private func adjustedP(_ directions: [(Metric, ChangeDirection)], _ values: CaseValues) -> [String: Double] {
        let raw = directions.compactMap { metric, direction -> (String, Double)? in
            guard let sides = values.values[metric.name],
                let p = try? judge(of: metric, values).confirmationP(direction, base: sides.base, head: sides.head)
            else { return nil }
            return (metric.name, p)
        }
        return Dictionary(uniqueKeysWithValues: zip(raw.map(\.0), HolmCorrection.adjusted(raw.map(\.1))))
    }

    private func settled(_ metric: Metric, _ values: CaseValues, _ screening: Screening) -> Finding {
        var finding = draft(metric, values, .unchanged)
        finding.effect = screening.effect
        finding.p = screening.p
        finding.limit = finding.scale.map { $0 * screening.threshold }
        finding.smallestDetectableChange = screening.smallestDetectableChange
        if case .inconclusive(let needed) = screening.verdict {
            finding.verdict = .inconclusive
            finding.reason = Self.tooNoisy(needed)
        }
        return finding
    }

    private func confirmed(
        _ metric: Metric, _ values: CaseValues, _ direction: ChangeDirection, p: Double?, isFresh: Bool,
        generator: inout SeededGenerator
    ) -> Finding {
        var finding = draft(metric, values, .inconclusive)
        guard let sides = values.values[metric.name] else { return finding }
        let confirmation: Confirmation
        do throws(StatisticsError) {
            confirmation = try judge(of: metric, values).confirm(
                direction, base: sides.base, head: sides.head, scale: values.scale(of: metric), adjustedP: p,
                generator: &generator)
        } catch {
            finding.reason = "\(error)"
            return finding
        }
        finding.effect = confirmation.effect
        finding.interval = confirmation.interval
        finding.p = confirmation.p
        finding.limit = finding.scale.map { $0 * confirmation.threshold }
        finding.smallestDetectableChange = confirmation.smallestDetectableChange
        finding.isConfirmed = isFresh
        switch confirmation.verdict {
        case .regressed: finding.verdict = .regressed
        case .improved:
            finding.verdict = .improved
            finding.reason = "a large drop can be a broken trial; every body that could be verified was right"
        case .unchanged: finding.verdict = .unchanged
        case .inconclusive(let needed): finding.reason = Self.tooNoisy(needed)
        }
        return finding
    }

    private func draft(
        _ metric: Metric, _ values: CaseValues, _ verdict: Finding.Verdict, reason: String = ""
    ) -> Finding {
        var finding = Finding(
            cell: values.cell.identifier, metric: metric.name, unit: metric.unit, verdict: verdict, reason: reason)
        let sides = values.values[metric.name]
        finding.base = sides.flatMap { Distribution($0.base)?.median }
        finding.head = sides.flatMap { Distribution($0.head)?.median }
        finding.scale = values.scale(of: metric)
        finding.baseTrials = sides?.base.count ?? 0
        finding.headTrials = sides?.head.count ?? 0
        finding.phase = values.phase
        return finding
    }

    private static func tooNoisy(_ needed: Int) -> String {
        "the trials are too few or too noisy to see a change of the size that counts; about \(needed) a side would do"
    }
}
