// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Texts
import TrialKit

/// The tables of a judgement, for Markdown and the terminal; sizes are in MiB.
struct JudgementTables: Sendable {
    private let findings: [Finding]
    private let kind: Judgement.Kind
    private let escape: @Sendable (String) -> String

    /// Takes a judgement and the escaping of the output format for text from outside.
    init(_ judgement: Judgement, escape: @escaping @Sendable (String) -> String) {
        findings = judgement.findingsWorstFirst
        kind = judgement.kind
        self.escape = escape
    }

    /// The findings about budgets.
    var budgetTable: TextTable {
        var table = TextTable(["verdict", "case", "budget", "measured", "limit", "n"], words: 3)
        table.rows = findings.compactMap { finding in
            guard let budget = finding.budget else { return nil }
            return [
                finding.words(in: kind), escape(finding.cell), escape(JudgementText.formula(budget)),
                figure(finding.head, finding), figure(finding.limit, finding), count(finding),
            ]
        }
        return table
    }

    /// The findings of comparisons, with the smallest detectable change of each if asked for.
    func comparisonTable(withDetectable: Bool = true) -> TextTable {
        var table = TextTable(
            ["verdict", "case", "metric", "base", "head", "change (99 % CI)", "p", "limit", "n"]
                + (withDetectable ? ["detectable"] : []), words: 3)
        table.rows = findings.filter { $0.budget == nil }.map { finding in
            let detectable = finding.smallestDetectableChange.map(FindingFigures(of: finding).detectable)
            return [
                finding.words(in: kind), escape(finding.cell), escape(JudgementText.metricName(finding.metric)),
                figure(finding.base, finding), figure(finding.head, finding), change(finding),
                finding.p.map { escape(JudgementText.p($0)) } ?? FigureText.absent,
                figure(finding.limit, finding), count(finding),
            ] + (withDetectable ? [detectable ?? FigureText.absent] : [])
        }
        return table
    }

    private func figure(_ value: Double?, _ finding: Finding) -> String {
        FindingFigures(of: finding).cell(value)
    }

    /// Returns the change: of sizes and figures of a scenario in the unit of the row, else relative.
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
