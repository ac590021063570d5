// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Compares two builds on one machine: pairs of all cases, then fresh pairs of those that seem changed.
package struct InterleavedComparison: Sendable {
    private let cells: [Case]
    private let judge: CaseJudge
    private let metrics: MetricCatalog

    package init(of cells: [Case], by metrics: MetricCatalog, judge: CaseJudge) {
        (self.cells, self.metrics, self.judge) = (cells, metrics, judge)
    }

    /// Measures the pairs and judges them.
    /// - Parameter pairs: Measures the given number of pairs of each case for a stage.
    /// - Returns: The findings in the order of the plan, and warnings about the judged trials.
    package func run(
        pairs: ([Case], Int, PairStage) async throws -> [Case: PairedTrials]
    ) async throws -> (findings: [Finding], warnings: [RunWarning]) {
        _ = try await pairs(cells, 1, .warmup)
        let screened = try await pairs(cells, judge.rule.n1, .screening)
        let suspects = cells.filter { judge.needsConfirmation(values(of: $0, screened[$0])) }
        let confirmed = suspects.isEmpty ? [:] : try await pairs(suspects, judge.rule.n2, .confirmation)
        let fresh = confirmed.map { ($0.key.identifier, values(of: $0.key, $0.value)) }
        let findings = judge.findings(
            of: cells.map { values(of: $0, screened[$0]) },
            confirmedBy: Dictionary(fresh) { first, _ in first }
        ).flatMap(\.self)
        let trials = cells.flatMap { cell in
            [screened[cell], confirmed[cell]].compactMap(\.self).flatMap { $0.base + $0.head }
        }
        return (findings, RunDoubts.trialDoubts(of: trials))
    }

    private func values(of cell: Case, _ pairs: PairedTrials?) -> CaseValues {
        CaseValues(cell, pairs ?? PairedTrials(), judging: metrics.judged(of: cell))
    }
}

/// Judges the merged pairs of several hosts in one stage, as nothing can be measured again.
package struct MergedComparison: Sendable {
    private let run: RunRecord

    package init(_ run: RunRecord) { self.run = run }

    package var findings: [Finding] {
        let judge = CaseJudge(rule: .interleaved, seed: run.plan.seed, noise: run.noise ?? NoiseFloors())
        let metrics = run.metrics
        var pairs: [Case: [String: PairedTrials]] = [:]
        for trial in run.trials {
            guard let pairing = trial.pairing, pairing.stage != .warmup, let host = trial.host else { continue }
            pairs[trial.cell, default: [:]][host, default: PairedTrials()][pairing.side].append(trial)
        }
        let cells = run.wholePlan.fetchingCases
        return judge.findings(
            ofStored: cells.map { CaseValues($0, hosts: pairs[$0] ?? [:], judging: metrics.judged(of: $0)) }
        ).flatMap(\.self)
    }
}

/// Compares a run with a stored baseline; its limits are wider, as the two sides were not interleaved.
package struct BaselineComparison: Sendable {
    private let baseline: Baseline
    private let run: RunRecord
    private let allowsMismatch: Bool
    private let judge: CaseJudge
    private let metrics: MetricCatalog
    private let isRun: Bool

    package init(
        baseline: Baseline, run: RunRecord, allowsMismatch: Bool, judge: CaseJudge, isRun: Bool = false
    ) {
        (self.isRun, self.baseline, self.run) = (isRun, baseline, run)
        (self.allowsMismatch, self.judge) = (allowsMismatch, judge)
        metrics = run.metrics
    }

    /// The differences to the machine of the run; of merged shards to any of their hosts.
    private var match: EnvironmentMatch {
        let machines = run.sharding?.hosts.map(\.environment) ?? [run.environment]
        var match = EnvironmentMatch(baseline.environment, run.environment)
        for machine in machines {
            let other = EnvironmentMatch(baseline.environment, machine)
            match.hard += other.hard.filter { !match.hard.contains($0) }
            match.soft += other.soft.filter { !match.soft.contains($0) }
        }
        return match
    }

    private var obstacles: [String] {
        let tools = baseline.tool == run.tool ? [] : ["probe: \(baseline.tool) and \(run.tool)"]
        return match.hard + tools + EnvironmentMatch.differences(baseline.plan, run.plan)
    }

    private func obstacles(of cell: Case) -> [String] {
        EnvironmentMatch.differences(of: cell, baseline.plan, run.plan)
    }

    package var warnings: [RunWarning] {
        let ignored = allowsMismatch ? obstacles + Set(run.plan.cases.flatMap(obstacles)).sorted() : []
        return ignored.map { RunWarning("compared despite a mismatch (--allow-mismatch): \($0)") }
            + match.soft.map { RunWarning("the \(isRun ? "base" : "baseline") was measured with another \($0)") }
            + withoutNet + sameExecutables
    }

    private var sameExecutables: [RunWarning] {
        guard let files = run.executables, !files.isEmpty, files == baseline.executables,
            let cell = suspects.first(where: { run.plan.command(of: $0) != nil })
        else { return [] }
        let text = "\(cell.identifier) seems changed, and its command's executables are those of the base"
        return [RunWarning(text, remedy: "look at its data, its libraries and the machine")]
    }

    private var withoutNet: [RunWarning] {
        let cells = measuredCases.filter { cell in
            !values(of: cell, in: run).metrics.contains { $0.name == Metric.netPeakGrowth.name }
        }
        guard let first = cells.first else { return [] }
        return [
            RunWarning(
                "\(cells.count) cases, the first \(first.identifier), lack program pages on one side: growth with program "
                    + "pages and anonymous memory are judged (for commands, anonymous memory only)")
        ]
    }

    /// The cases that seem changed and need fresh trials to confirm it.
    package var suspects: [Case] {
        measuredCases.filter { judge.needsConfirmation(values(of: $0, in: run)) }
    }

    /// Returns the findings in the order of the plan, followed by cases that only the baseline has.
    /// - Parameter confirmation: Fresh trials of the suspects, or `nil` if nothing can be measured again.
    package func findings(confirmedBy confirmation: RunRecord?) -> [Finding] {
        guard let confirmation else { return findings { judge.findings(ofStored: $0) } }
        let cells = measuredCases.filter(confirmation.plan.cases.contains)
        let fresh = cells.map { ($0.identifier, values(of: $0, in: confirmation)) }
        return findings { judge.findings(of: $0, confirmedBy: Dictionary(fresh) { first, _ in first }) }
    }

    package var findingsWithoutSuspects: [Finding] {
        findings { judge.findings(of: $0, confirmedBy: [:]) }
    }

    private func findings(_ judged: ([CaseValues]) -> [[Finding]]) -> [Finding] {
        let cells = run.plan.fetchingCases
        let compared = measuredCases.map { values(of: $0, in: run) }
        let found = zip(compared, judged(compared)).map { values, findings in
            (values.cell.identifier, findings.map { withDrift($0, values) } + lost(values.cell))
        }
        let answers = Dictionary(found) { first, _ in first }
        let known = cells.flatMap { answers[$0.identifier] ?? [withoutAnswer($0)] }
        let names = Set(run.plan.cases.map(\.identifier))
        let gone = baseline.cases.keys.filter { !names.contains($0) }.sorted().map { name in
            Finding(
                cell: name, metric: Metric.netPeakGrowth.name, unit: .bytes, part: .fetchPath, verdict: .missing,
                reason: only("base", hasThis: "case", update: "drops"))
        }
        return known + gone
    }

    /// Returns figures of the baseline that are no longer declared as missing, so that they do not pass.
    private func lost(_ cell: Case) -> [Finding] {
        let known = Set(metrics.stored(of: cell).map(\.name))
        return (baseline.cases[cell.identifier] ?? [:]).keys.filter { !known.contains($0) }.sorted().map { name in
            Finding(
                cell: cell.identifier, metric: name, unit: .ratio, part: .scenario, verdict: .missing,
                reason: only("base", hasThis: "figure", update: "drops"))
        }
    }

    private func only(_ side: String, hasThis what: String, update: String) -> String {
        if isRun { return "only the \(side) has this \(what); measure both runs with the same plan" }
        return (side == "base" ? "only the baseline has this \(what)" : "the baseline lacks this \(what)")
            + "; `check --update` \(update) it"
    }

    private func withoutAnswer(_ cell: Case) -> Finding {
        let obstacles = allowsMismatch ? [] : obstacles + obstacles(of: cell)
        let (verdict, reason): (Finding.Verdict, String) =
            obstacles.isEmpty
            ? (.missing, only("head", hasThis: "case", update: "adds"))
            : (
                .incomparable,
                "the \(isRun ? "base" : "baseline") was measured otherwise: " + obstacles.joined(separator: "; ")
            )
        return Finding(
            cell: cell.identifier, metric: Metric.netPeakGrowth.name, unit: .bytes,
            part: cell.isPlain ? .command : .fetchPath, verdict: verdict, reason: reason)
    }

    private var measuredCases: [Case] {
        guard allowsMismatch || obstacles.isEmpty else { return [] }
        return run.plan.cases.filter {
            $0.mode != Case.nullMode && baseline.cases[$0.identifier] != nil
                && (allowsMismatch || obstacles(of: $0).isEmpty)
        }
    }

    private func values(of cell: Case, in run: RunRecord) -> CaseValues {
        // Another processor takes another time; memory is compared all the same.
        let isSameProcessor = baseline.environment.processor == run.environment.processor && run.sharding == nil
        return CaseValues(
            cell, baseline: baseline.cases[cell.identifier] ?? [:], head: run.comparableTrials(of: cell),
            judging: metrics.judged(of: cell).filter { isSameProcessor || !$0.isProcessor })
    }

    /// Returns the finding as a regression if small steps since the anchor add up to more than the limit.
    ///
    /// Ten changes of 0.9 % each are below every limit, but not together. An anchor equal to the median of the baseline
    /// means no earlier steps: the two stages have judged this one.
    private func withDrift(_ finding: Finding, _ values: CaseValues) -> Finding {
        guard let series = baseline.cases[finding.cell]?[finding.metric],
            series.anchor != Distribution(series.trials)?.median, let head = finding.head, let scale = finding.scale,
            let metric = values.metrics.first(where: { $0.name == finding.metric }),
            let limit = judge.limit(of: metric, values), finding.verdict == .unchanged
        else { return finding }
        let anchor = series.anchor
        let growth = metric.direction == .higher ? anchor - head : head - anchor
        guard growth > limit else { return finding }
        var drifted = finding
        drifted.verdict = .regressed
        drifted.effect = (head - anchor) / scale
        drifted.interval = nil
        drifted.p = nil
        drifted.limit = limit
        drifted.reason =
            "since its anchor of \(Self.text(anchor, metric)) it has "
            + (metric.direction == .higher ? "fallen" : "grown")
            + " by \(Self.text(growth, metric)), in steps too small to be judged one by one; `check --update --reset-anchor` accepts it"
        return drifted
    }

    /// Returns memory in MiB, time in ms, and a scenario's figure as a plain number in its own unit.
    private static func text(_ value: Double, _ metric: Metric) -> String {
        if metric.unit == .nanoseconds { return ByteText.fixed(value / 1e6, places: 1) + " ms" }
        let isMemory = JudgedMetric.memory.contains { $0.alternatives.contains { $0.name == metric.name } }
        return isMemory ? ByteText.mebibytes(value) : ByteText.fixed(value, places: 2)
    }
}

/// Compares two stored runs in one stage, as nothing can be measured again.
package struct StoredComparison: Sendable {
    private let base: RunRecord
    private let head: RunRecord
    private let comparison: BaselineComparison

    package init(base: RunRecord, head: RunRecord, allowsMismatch: Bool) {
        (self.base, self.head) = (base, head)
        comparison = BaselineComparison(
            baseline: Baseline(of: base, after: nil), run: head, allowsMismatch: allowsMismatch,
            judge: CaseJudge(rule: .storedBaseline, seed: head.plan.seed, noise: NoiseFloors()), isRun: true)
    }

    package func judgement(tool: String, at time: String) -> Judgement {
        Judgement(
            tool: tool, kind: .storedRuns, baseName: base.identifier, headName: head.identifier, judgedAt: time,
            seed: head.plan.seed, findings: comparison.findings(confirmedBy: nil),
            warnings: comparison.warnings + base.warnings + head.warnings,
            environment: head.environment)
    }
}
