// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics
import Texts
import TrialKit

/// Compares a run with a stored baseline: all of one, then all of the other, so with wider limits.
package struct BaselineComparison: Sendable {
    private let baseline: Baseline
    private let run: RunRecord
    private let allowsMismatch: Bool
    private let judge: CaseJudge
    private let metrics: MetricCatalog

    /// Creates a comparison.
    /// - Parameter allowsMismatch: whether another environment is compared all the same, and said.
    package init(baseline: Baseline, run: RunRecord, allowsMismatch: Bool, judge: CaseJudge) {
        self.baseline = baseline
        self.run = run
        self.allowsMismatch = allowsMismatch
        self.judge = judge
        metrics = run.metrics
    }

    private var match: EnvironmentMatch { EnvironmentMatch(baseline.environment, run.environment) }

    /// What makes the comparison impossible.
    private var obstacles: [String] {
        let tools = baseline.tool == run.tool ? [] : ["probe: \(baseline.tool) and \(run.tool)"]
        return match.hard + tools + EnvironmentMatch.differences(baseline.plan, run.plan)
    }

    private var isComparable: Bool { obstacles.isEmpty || allowsMismatch }

    /// What makes the comparison doubtful.
    package var warnings: [RunWarning] {
        let ignored =
            allowsMismatch ? obstacles.map { RunWarning("compared all the same (--allow-mismatch): \($0)") } : []
        return ignored + match.soft.map { RunWarning("the baseline was measured with another \($0)") } + withoutNet
    }

    /// What is judged in place of net figures, where a side has none of these.
    private var withoutNet: [RunWarning] {
        let cells = measuredCases.filter { cell in
            !values(of: cell, in: run).metrics.contains { $0.name == Metric.netPeakGrowth.name }
        }
        guard let first = cells.first, isComparable else { return [] }
        return [
            RunWarning(
                "\(cells.count) cases, beginning with \(first.identifier), have no program pages on one side: judged are "
                    + "the growth with them and the anonymous memory, of commands the latter alone")
        ]
    }

    /// The cases that look changed, whose judgement needs fresh trials.
    package var suspects: [Case] {
        guard isComparable else { return [] }
        return measuredCases.filter { judge.needsConfirmation(values(of: $0, in: run)) }
    }

    /// The findings, in the order of the plan; cases that only the baseline has come last.
    /// - Parameter confirmation: fresh trials of the suspects, or `nil` where nothing can be measured again.
    package func findings(confirmedBy confirmation: RunRecord?) -> [Finding] {
        guard let confirmation else { return findings { judge.findings(ofStored: $0) } }
        let cells = measuredCases.filter(confirmation.plan.cases.contains)
        let fresh = cells.map { ($0.identifier, values(of: $0, in: confirmation)) }
        return findings { judge.findings(of: $0, confirmedBy: Dictionary(fresh) { first, _ in first }) }
    }

    /// The findings where there are no suspects, so that nothing has to be measured again.
    package var findingsWithoutSuspects: [Finding] {
        findings { judge.findings(of: $0, confirmedBy: [:]) }
    }

    private func findings(_ judged: ([CaseValues]) -> [[Finding]]) -> [Finding] {
        let cells = run.plan.cases.filter { $0.mode != Case.nullMode }
        let compared = isComparable ? measuredCases.map { values(of: $0, in: run) } : []
        let found = zip(compared, judged(compared)).map { values, findings in
            (values.cell.identifier, findings.map { withDrift($0, values) } + lost(values.cell))
        }
        let answers = Dictionary(found) { first, _ in first }
        let known = cells.flatMap { answers[$0.identifier] ?? [withoutAnswer($0)] }
        let names = Set(run.plan.cases.map(\.identifier))
        let gone = baseline.cases.keys.filter { !names.contains($0) }.sorted().map { name in
            Finding(
                cell: name, metric: Metric.netPeakGrowth.name, unit: .bytes, part: .fetchPath, verdict: .missing,
                reason: "the baseline has this case and the run does not; `check --update` drops it")
        }
        return known + gone
    }

    /// What the baseline has of a case and nobody declares any more: it is no acquittal.
    private func lost(_ cell: Case) -> [Finding] {
        let known = Set(metrics.stored(of: cell).map(\.name))
        return (baseline.cases[cell.identifier] ?? [:]).keys.filter { !known.contains($0) }.sorted().map { name in
            Finding(
                cell: cell.identifier, metric: name, unit: .ratio, part: .scenario, verdict: .missing,
                reason: "the baseline has this figure, which the measured program does not declare; "
                    + "`check --update` drops it")
        }
    }

    /// The finding of a case that cannot be compared, or has nothing to be compared with.
    private func withoutAnswer(_ cell: Case) -> Finding {
        let (verdict, reason): (Finding.Verdict, String) =
            isComparable
            ? (.missing, "the baseline does not have this case; `check --update` takes it up")
            : (.incomparable, "the baseline is of another environment: " + obstacles.joined(separator: "; "))
        return Finding(
            cell: cell.identifier, metric: Metric.netPeakGrowth.name, unit: .bytes,
            part: cell.isPlain ? .command : .fetchPath, verdict: verdict, reason: reason)
    }

    private var measuredCases: [Case] {
        run.plan.cases.filter { $0.mode != Case.nullMode && baseline.cases[$0.identifier] != nil }
    }

    private func values(of cell: Case, in run: RunRecord) -> CaseValues {
        CaseValues(
            cell, baseline: baseline.cases[cell.identifier] ?? [:], head: run.trials(of: cell),
            judging: metrics.judged(of: cell))
    }

    /// Ten changes of 0.9 % each are below every limit and together are not: they are counted from the anchor.
    ///
    /// Where the anchor is that of the series itself there was no step before, and the two stages have judged this one.
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
            + " by \(Self.text(growth, metric)), in steps that were too small to count one by one; `check --update --reset-anchor` accepts it"
        return drifted
    }

    /// Memory in MiB; a scenario's figure as the number that it is, with the unit of its name.
    private static func text(_ value: Double, _ metric: Metric) -> String {
        let isMemory = JudgedMetric.memory.contains { $0.alternatives.contains { $0.name == metric.name } }
        return isMemory ? ByteText.mebibytes(value) : ByteText.fixed(value, places: 2)
    }
}
