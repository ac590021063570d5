// SPDX-License-Identifier: Apache-2.0

import Statistics
import Support
import TrialKit

/// Compares a run with a stored baseline: all of one, then all of the other, so with wider limits.
package struct BaselineComparison: Sendable {
    private let baseline: Baseline
    private let run: RunRecord
    private let allowsMismatch: Bool
    private let judge: CaseJudge

    /// Creates a comparison.
    /// - Parameter allowsMismatch: whether another environment is compared all the same, and said.
    package init(baseline: Baseline, run: RunRecord, allowsMismatch: Bool, judge: CaseJudge) {
        self.baseline = baseline
        self.run = run
        self.allowsMismatch = allowsMismatch
        self.judge = judge
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
    /// - Parameter confirmation: fresh trials of the suspects, or `nil` where there are none.
    package func findings(confirmedBy confirmation: RunRecord?) -> [Finding] {
        let cells = run.plan.cases.filter { $0.mode != Case.nullMode }
        let known = cells.flatMap { findings(of: $0, confirmedBy: confirmation) }
        let names = Set(run.plan.cases.map(\.identifier))
        let gone = baseline.cases.keys.filter { !names.contains($0) }.sorted().map { name in
            Finding(
                cell: name, metric: Metric.netPeakGrowth.name, unit: .bytes, verdict: .missing,
                reason: "the baseline has this case and the run does not; `check --update` drops it")
        }
        return known + gone
    }

    private var measuredCases: [Case] {
        run.plan.cases.filter { $0.mode != Case.nullMode && baseline.cases[$0.identifier] != nil }
    }

    private func values(of cell: Case, in run: RunRecord) -> CaseValues {
        CaseValues(cell, baseline: baseline.cases[cell.identifier] ?? [:], head: run.trials(of: cell))
    }

    private func findings(of cell: Case, confirmedBy confirmation: RunRecord?) -> [Finding] {
        guard isComparable else {
            return [
                Finding(
                    cell: cell.identifier, metric: Metric.netPeakGrowth.name, unit: .bytes, verdict: .incomparable,
                    reason: "the baseline is of another environment: " + obstacles.joined(separator: "; "))
            ]
        }
        guard let series = baseline.cases[cell.identifier] else {
            return [
                Finding(
                    cell: cell.identifier, metric: Metric.netPeakGrowth.name, unit: .bytes, verdict: .missing,
                    reason: "the baseline does not have this case; `check --update` takes it up")
            ]
        }
        let fresh = confirmation.flatMap { run in
            run.plan.cases.contains(cell) ? values(of: cell, in: run) : nil
        }
        return judge.findings(of: values(of: cell, in: run), confirmation: fresh)
            .map { withDrift($0, series[$0.metric]) }
    }

    /// Ten changes of 0.9 % each are below every limit and together are not: they are counted from the anchor.
    ///
    /// Where the anchor is that of the series itself there was no step before, and the two stages have judged this one.
    private func withDrift(_ finding: Finding, _ series: Baseline.Series?) -> Finding {
        guard let series, series.anchor != Distribution(series.trials)?.median, let head = finding.head,
            let scale = finding.scale, scale > 0, finding.verdict == .unchanged
        else { return finding }
        let anchor = series.anchor
        let drift = (head - anchor) / scale
        let limit = judge.rule(for: finding.metric).threshold(scale: scale)
        guard drift > limit else { return finding }
        var drifted = finding
        drifted.verdict = .regressed
        drifted.effect = drift
        drifted.interval = nil
        drifted.p = nil
        drifted.limit = limit * scale
        drifted.reason =
            "since its anchor of \(ByteText.mebibytes(anchor)) it has grown by \(ByteText.mebibytes(head - anchor)), "
            + "in steps too small to be seen one by one; `check --update --reset-anchor` accepts it"
        return drifted
    }
}
