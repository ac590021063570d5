// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import TrialKit

/// The tables of a judgement, the same for Markdown and the terminal; sizes are in MiB.
struct JudgementTables: Sendable {
    /// A row, and the case that it belongs to.
    struct Row: Sendable {
        let cell: String
        let cells: [String]
    }

    private let findings: [Finding]
    private let escape: @Sendable (String) -> String

    /// Takes the findings worst first; `escape` makes text from outside harmless where the table is shown.
    init(_ judgement: Judgement, escape: @escaping @Sendable (String) -> String) {
        findings = judgement.findingsWorstFirst
        self.escape = escape
    }

    static let budgetHeader = ["verdict", "case", "budget", "measured", "limit", "n"]
    static let comparisonHeader = [
        "verdict", "case", "metric", "base", "head", "change (99 % CI)", "p", "limit", "n",
    ]

    /// Budgets: what was measured against what is allowed.
    var budgets: [Row] {
        findings.compactMap { finding in
            guard let budget = finding.budget else { return nil }
            return Row(
                cell: escape(finding.cell),
                cells: [
                    finding.verdict.words, escape(finding.cell), escape(JudgementText.formula(budget)),
                    figure(finding.head, finding), figure(finding.limit, finding), count(finding),
                ])
        }
    }

    /// Comparisons: the head against the base.
    var comparisons: [Row] {
        findings.filter { $0.budget == nil }.map { finding in
            Row(
                cell: escape(finding.cell),
                cells: [
                    finding.verdict.words, escape(finding.cell), escape(JudgementText.metricName(finding.metric)),
                    figure(finding.base, finding), figure(finding.head, finding), change(finding),
                    finding.p.map { escape(JudgementText.p($0)) } ?? FigureText.absent,
                    figure(finding.limit, finding), count(finding),
                ])
        }
    }

    /// The smallest change that each comparison could have seen, in the order of ``comparisons``.
    var detectable: [String] {
        findings.filter { $0.budget == nil }.map {
            $0.smallestDetectableChange.map(FindingFigures(of: $0).detectable) ?? FigureText.absent
        }
    }

    private func figure(_ value: Double?, _ finding: Finding) -> String {
        FindingFigures(of: finding).cell(value)
    }

    /// The change: of sizes and of a scenario's figures in the unit of what stands beside it, which may be none; else
    /// relative.
    private func change(_ finding: Finding) -> String {
        guard let effect = finding.effect else { return FigureText.absent }
        let figures = FindingFigures(of: finding)
        if finding.unit == .bytes || !figures.isRelative, let scale = finding.scale.map({ $0 / figures.divisor }) {
            let interval = finding.interval.map { " (\(JudgementText.interval($0, scale: scale)))" }
            return JudgementText.signed(effect * scale, places: 2) + (interval ?? "")
        }
        let interval = finding.interval.map { " (\(JudgementText.interval($0, scale: 100)))" }
        return JudgementText.percent(effect) + (interval ?? "")
    }

    private func count(_ finding: Finding) -> String {
        guard finding.baseTrials + finding.headTrials > 0 else { return FigureText.absent }
        let isOneNumber = finding.budget != nil || finding.baseTrials == finding.headTrials
        return isOneNumber ? "\(finding.headTrials)" : "\(finding.baseTrials)+\(finding.headTrials)"
    }
}
