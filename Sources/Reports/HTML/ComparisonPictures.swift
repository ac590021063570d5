// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import Runs

/// Charts of each change with its interval, limit and pairs.
struct ComparisonPictures: Sendable {
    private let judgement: Judgement
    /// The rows that fit in a readable picture; the worst are drawn.
    private static let mostRows = 40

    init(_ judgement: Judgement) {
        self.judgement = judgement
    }

    var section: HTMLSection {
        var section = HTMLSection("changes", "Changes and their limits")
        let compared = judgement.findingsWorstFirst.filter { $0.budget == nil && $0.change != nil }
        section.figures = compared.grouped { FindingFigures(of: $0).symbol }
            .map { figure(of: $0.elements, unit: $0.key) }
        if section.figures.isEmpty {
            section.paragraphs = ["No picture of changes: no figures to compare."]
        }
        return section
    }

    private func figure(of findings: [Finding], unit: String) -> HTMLFigure {
        let shown = Array(findings.prefix(Self.mostRows))
        let lines = shown.map { FindingLine($0, of: judgement.kind).textWithVerdict }
        let name = unit.drop { $0 == " " }
        let picture = IntervalChart(
            title: "Changes\(unit.isEmpty ? "" : " in \(name)") with their 99 % intervals and limits",
            summary: lines.joined(separator: ". ") + ".",
            axis: "head minus base" + (unit.isEmpty ? "" : ", \(name)"), rows: shown.map(row)
        ).picture
        let more = findings.count - shown.count
        let hasPairs = judgement.evidence?.run.kind.isPaired == true
        return HTMLFigure(
            picture: picture,
            caption:
                "Mark: change; line: 99 % interval; grey: within ± the limit. "
                + "▲ worse, ◆ better, ● below the limit, ■ inconclusive."
                + (hasPairs ? " A dot is the change of one pair of trials." : "")
                + (more > 0 ? " \(more) more are in the table." : ""))
    }

    private func row(_ finding: Finding) -> IntervalChart.Row {
        let figures = FindingFigures(of: finding)
        let scale = (finding.scale ?? 1) / figures.divisor
        let sides = [finding.base, finding.head].map { $0.map(figures.text) ?? FigureText.absent }
        return IntervalChart.Row(
            "\(JudgementText.caseName(of: finding)), \(JudgementText.metricName(finding.metric))",
            finding.verdict.drawn, change: (finding.change ?? 0) / figures.divisor,
            interval: finding.interval.map { $0.lowerBound * scale...$0.upperBound * scale },
            limit: finding.limit.map { $0 / figures.divisor },
            pairs: judgement.evidence?.changes(of: finding).map { $0 / figures.divisor } ?? [],
            note: "\(finding.words(in: judgement.kind)), \(sides[0]) → \(sides[1])")
    }
}

extension Finding.Verdict {
    fileprivate var drawn: IntervalChart.Verdict {
        switch self {
        case .regressed, .overBudget: .worse
        case .improved: .better
        case .unchanged, .notJudged: .same
        case .incomparable, .inconclusive, .missing: .open
        }
    }
}
