// SPDX-License-Identifier: Apache-2.0

package import Runs

package struct CaseJudge: Sendable {
    package let rule: JudgementRule
    private let seed: UInt64
    private let noise: NoiseFloors

    package init(rule: JudgementRule, seed: UInt64, noise: NoiseFloors) {
        (self.rule, self.seed, self.noise) = (rule, seed, noise)
    }

    package static func ofStoredBaseline(_ run: RunRecord) -> CaseJudge {
        CaseJudge(rule: .storedBaseline, seed: run.plan.seed, noise: run.noise ?? NoiseFloors())
    }

    /// True if a metric of a case seems changed, so that fresh trials are needed.
    package func needsConfirmation(_ values: CaseValues) -> Bool {
        guard values.shortage == nil else { return false }
        return values.metrics.contains { metric in
            guard case .looksChanged = screening(metric, values) else { return false }
            return true
        }
    }

    /// Returns the findings by case, one for each metric; those that seemed changed are judged by fresh trials.
    package func findings(of cases: [CaseValues], confirmedBy confirmations: [String: CaseValues]) -> [[Finding]] {
        answers(cases) { values in
            let fresh = confirmations[values.cell.identifier]
            if let shortage = values.shortage ?? fresh?.shortage { return [.answered(missing(shortage, values))] }
            return values.metrics.map { metric in
                switch screening(metric, values) {
                case .unanswerable(let reason): .answered(draft(metric, values, .inconclusive, reason: reason))
                case .settled(let screening): .answered(settled(metric, values, screening))
                case .looksChanged(let direction, let screening):
                    asked(metric, values, screening, direction, fresh: fresh)
                }
            }
        }
    }

    package func findings(ofStored cases: [CaseValues]) -> [[Finding]] {
        answers(cases) { values in
            if let shortage = values.shortage { return [.answered(missing(shortage, values))] }
            return values.metrics.map { question($0, values, nil, isFresh: false) }
        }
    }

    /// The state of a metric: already answered, or left to the second stage.
    private enum Look {
        case answered(Finding)
        case open(Finding, JudgedFamily.Member)
    }

    private func answers(_ cases: [CaseValues], _ looks: (CaseValues) -> [Look]) -> [[Finding]] {
        let looks = cases.map { values in
            values.metrics.isEmpty && values.shortage == nil
                ? [.answered(missing("the sides have no figure in common", values))] : looks(values)
        }
        var members: [JudgedFamily.Member] = []
        var settledCount = 0
        for look in looks.joined() {
            switch look {
            case .open(_, let member): members.append(member)
            case .answered(let finding): settledCount += finding.p == nil ? 0 : 1
            }
        }
        var confirmations = JudgedFamily(members, besides: settledCount).confirmations(seed: seed)[...]
        return zip(cases, looks).map { values, looks in
            let findings = looks.map { look in
                switch look {
                case .answered(let finding): finding
                case .open(let finding, _): confirmed(finding, confirmations.removeFirst(), values)
                }
            }
            return exactlyDecided(findings, values)
                + (values.shortage == nil ? values.oneSided.map { missing($0.metric, of: $0.lacking, values) } : [])
        }
    }

    private func missing(_ metric: Metric, of side: ComparedSide, _ values: CaseValues) -> Finding {
        draft(
            metric, values, .missing,
            reason: "the figure is missing in some trials of the \(side.rawValue)"
                + (side == .base ? "; `check --update` adds it to a baseline" : ""))
    }

    /// Returns the state of a metric that seems changed, left to its fresh trials if there are any.
    private func asked(
        _ metric: Metric, _ values: CaseValues, _ screening: TwoStageJudge.Screening,
        _ direction: TwoStageJudge.ChangeDirection,
        fresh: CaseValues?
    ) -> Look {
        guard let fresh, fresh.values[metric.name] != nil else {
            var finding = settled(metric, values, screening)
            finding.verdict = .inconclusive
            finding.reason =
                fresh == nil
                ? "apparent change, not confirmed by further trials"
                : "apparent change, but some confirming trials lack this figure"
            return .answered(finding)
        }
        return question(metric, fresh, direction, isFresh: true)
    }

    private func question(
        _ metric: Metric, _ values: CaseValues, _ direction: TwoStageJudge.ChangeDirection?, isFresh: Bool
    ) -> Look {
        var finding = draft(metric, values, .inconclusive)
        finding.isConfirmed = isFresh
        guard let sides = values.values[metric.name] else {
            finding.reason = Self.withoutValues
            return .answered(finding)
        }
        return .open(
            finding,
            JudgedFamily.Member(
                sides.strata, scale: values.scale(of: metric), direction: direction,
                rule: rule(of: metric, values)))
    }

    private static let withoutValues = "one side has no values"

    enum FirstLook {
        case unanswerable(String)
        case settled(TwoStageJudge.Screening)
        case looksChanged(TwoStageJudge.ChangeDirection, TwoStageJudge.Screening)
    }

    func screening(_ metric: Metric, _ values: CaseValues) -> FirstLook {
        guard let sides = values.values[metric.name] else { return .unanswerable(Self.withoutValues) }
        do throws(StatisticsError) {
            let screening = try TwoStageJudge(rule: rule(of: metric, values)).screen(
                base: sides.base, head: sides.head, scale: values.scale(of: metric))
            if case .needsConfirmation(let direction) = screening.verdict { return .looksChanged(direction, screening) }
            return .settled(screening)
        } catch {
            return .unanswerable("\(error)")
        }
    }

    /// Returns the rule for a metric of a case.
    ///
    /// It has to detect a change of 2 % or 1 MiB, whichever is larger; a scenario's figure declares its own step.
    private func rule(of metric: Metric, _ values: CaseValues) -> JudgementRule {
        let judged = values.judged(metric)
        var rule = rule(for: judged)
        rule.noiseFloor = noise[values.cell.identifier, metric.name] ?? rule.noiseFloor
        if judged?.isProcessor == true { return processorRule(rule, metric, values) }
        if judged?.step == nil, let scale = values.scale(of: metric), scale > 0 {
            rule.requiredDetection = max(0.02, 1_048_576 / scale, rule.threshold(scale: scale))
        }
        return rule
    }

    /// The least that counts is a twentieth of a core, or a quarter of what the base takes, and twice that for a baseline.
    private func processorRule(_ rule: JudgementRule, _ metric: Metric, _ values: CaseValues) -> JudgementRule {
        var own = rule
        let share = values.values[metric.name].flatMap { Distribution($0.base)?.median }
            .flatMap { used in values.scale(of: metric).map { used / $0 } }
        own.minimumEffect = rule.minimumEffect * max(5, 25 * (share ?? 0))
        own.minimumBytes = 0
        own.requiredDetection = 2 * own.minimumEffect
        return own
    }

    /// Returns the smallest significant change in the metric's unit, or `nil` without a positive scale.
    func limit(of metric: Metric, _ values: CaseValues) -> Double? {
        guard let scale = values.scale(of: metric), scale > 0 else { return nil }
        return rule(of: metric, values).threshold(scale: scale) * scale
    }

    private func rule(for judged: JudgedMetric?) -> JudgementRule {
        guard let judged else { return rule }
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

    func settled(_ metric: Metric, _ values: CaseValues, _ screening: TwoStageJudge.Screening) -> Finding {
        var finding = draft(metric, values, .unchanged)
        finding.effect = screening.effect
        finding.p = screening.p
        finding.limit = finding.scale.map { $0 * screening.threshold }
        finding.smallestDetectableChange = screening.smallestDetectableChange
        finding.interval = values.values[metric.name].flatMap { sides in
            try? TwoStageJudge(rule: rule(of: metric, values)).interval(
                base: sides.base, head: sides.head, scale: values.scale(of: metric), seed: seed)
        }
        if case .inconclusive(let needed) = screening.verdict {
            finding.verdict = .inconclusive
            finding.reason = Self.tooNoisy(needed)
        }
        return finding
    }

    private func confirmed(
        _ draft: Finding, _ answer: Result<TwoStageJudge.Confirmation, StatisticsError>, _ values: CaseValues
    ) -> Finding {
        var finding = draft
        let confirmation: TwoStageJudge.Confirmation
        switch answer {
        case .success(let found): confirmation = found
        case .failure(let error):
            finding.isConfirmed = false
            finding.reason = "\(error)"
            return finding
        }
        finding.effect = confirmation.effect
        finding.interval = confirmation.interval
        finding.p = confirmation.p
        finding.limit = finding.scale.map { $0 * confirmation.threshold }
        finding.smallestDetectableChange = confirmation.smallestDetectableChange
        finding.overHosts = HostChanges(of: values, finding.metric, confirmation)
        switch confirmation.verdict {
        case .regressed, .improved:
            let isWorse = (confirmation.verdict == .regressed) == (finding.better != .higher)
            finding.verdict = isWorse ? .regressed : .improved
            guard !isWorse else { break }
            finding.reason =
                finding.part == .command
                ? "large drop: check that the command still does the same work"
                : "large drop: check that trials are not broken; all verified bodies were correct"
        case .unchanged: finding.verdict = .unchanged
        case .inconclusive(let needed): finding.reason = Self.tooNoisy(needed)
        }
        return finding
    }

    private func missing(_ reason: String, _ values: CaseValues) -> Finding {
        draft(.netPeakGrowth, values, .missing, reason: reason)
    }

    private func draft(
        _ metric: Metric, _ values: CaseValues, _ verdict: Finding.Verdict, reason: String = ""
    ) -> Finding {
        var finding = Finding(
            cell: values.cell.identifier, metric: metric.name, unit: metric.unit,
            part: values.cell.isPlain ? .command : values.judged(metric)?.part, verdict: verdict, reason: reason)
        let sides = values.values[metric.name]
        finding.base = sides.flatMap { CaseValues.meanOfMedians($0.strata.map(\.base)) }
        finding.head = sides.flatMap { CaseValues.meanOfMedians($0.strata.map(\.head)) }
        finding.scale = values.scale(of: metric)
        finding.baseTrials = sides?.base.count ?? 0
        finding.headTrials = sides?.head.count ?? 0
        finding.better = metric.direction == .lower ? nil : metric.direction
        finding.phase = values.cell.isPlain ? nil : values.phase
        return finding
    }

    static let noise = "too few trials to detect a change that counts at this noise level"

    private static func tooNoisy(_ needed: Int) -> String {
        "\(noise): about \(needed) a side are needed"
    }
}

extension CaseJudge {
    /// Returns the findings of a case with those set aside that are sampled and too noisy, where an exact one has decided.
    func exactlyDecided(_ findings: [Finding], _ values: CaseValues) -> [Finding] {
        withoutCoincidence(withoutSampled(withoutNoisyTimes(findings)), values)
    }

    /// Returns the findings with those of processor time set aside that varies too much for an answer: memory decides.
    private func withoutNoisyTimes(_ findings: [Finding]) -> [Finding] {
        findings.map { finding in
            guard finding.metric == JudgedMetric.processorTime.name, finding.verdict == .inconclusive
            else { return finding }
            var finding = finding
            finding.verdict = .notJudged
            return finding
        }
    }

    /// Returns the findings of a case with those of sampled figures set aside that are too noisy, if the exact figure of
    /// the same memory has decided.
    ///
    /// A sample every millisecond catches a short peak by chance, so the figure varies even within one build.
    private func withoutSampled(_ findings: [Finding]) -> [Finding] {
        let deciding: [Finding.Verdict] = [.unchanged, .improved, .regressed]
        guard findings.contains(where: { $0.metric == Metric.netPeakGrowth.name && deciding.contains($0.verdict) })
        else { return findings }
        return findings.map { finding in
            guard finding.metric == Metric.peakAnonymousGrowth.name, finding.verdict == .inconclusive,
                finding.reason.hasPrefix(Self.noise)
            else {
                return finding
            }
            var finding = finding
            finding.verdict = .notJudged
            finding.reason =
                "decided by the exact peak without program pages, as this figure is sampled: " + finding.reason
            return finding
        }
    }

    /// Returns the findings of a case with those set aside that vary too much because several processes peak at the same
    /// time by chance, if the sum of their peaks is unchanged.
    ///
    /// Their joint memory is sampled, but each peak, and so the sum, is read at the end of its process. A larger sum is
    /// not a regression: processes that run one after another do not hold more at once.
    private func withoutCoincidence(_ findings: [Finding], _ values: CaseValues) -> [Finding] {
        let sampled = [Metric.netPeakGrowth.name, Metric.peakAnonymousGrowth.name]
        let isNoisy = { (finding: Finding) in
            sampled.contains(finding.metric) && finding.verdict == .inconclusive
                && finding.reason.hasPrefix(Self.noise)
        }
        guard findings.contains(where: isNoisy), case .settled(let screening) = screening(.sumOfNetPeaks, values)
        else { return findings }
        let sum = settled(.sumOfNetPeaks, values, screening)
        guard sum.verdict == .unchanged else { return findings }
        return findings.map { finding in
            guard isNoisy(finding) else { return finding }
            var finding = finding
            finding.verdict = .notJudged
            finding.reason =
                "decided by the exact sum of the processes' peaks, because their overlap in time varies: "
                + finding.reason
            return finding
        } + [sum]
    }
}
