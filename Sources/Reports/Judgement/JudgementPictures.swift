// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import Runs

extension JudgementDocument {
    /// The rows that fit in a readable picture; the worst are drawn.
    private static let mostRows = 40

    var changes: DocumentSection {
        var section = DocumentSection("changes", "Changes and their limits")
        let compared = all.filter { $0.budget == nil && $0.change != nil }
        section.figures = compared.grouped { FindingFigures(of: $0).symbol }
            .map { figure(of: $0.elements, unit: $0.key) }
        return section
    }

    private func figure(of findings: [Finding], unit: String) -> DocumentFigure {
        let shown = Array(findings.prefix(Self.mostRows))
        let lines = shown.map { FindingLine($0, of: judgement.kind).textWithVerdict }
        let name = unit.drop { $0 == " " }
        var chart = RowChart(
            title: "Changes\(unit.isEmpty ? "" : " in \(name)") with their 99 % intervals and limits",
            summary: lines.joined(separator: ". ") + ".",
            axis: "head minus base" + (unit.isEmpty ? "" : ", \(name)"), rows: shown.map { row($0, among: shown) })
        chart.sides = ("less than the base", "more")
        let more = findings.count - shown.count
        let hasPairs = judgement.evidence?.run.kind.isPaired == true
        return DocumentFigure(
            picture: chart.picture,
            caption:
                "Mark: change; line: 99 % interval; grey: within ± the limit. "
                + "▲ worse, ◆ better, ● below the limit, ■ inconclusive."
                + (hasPairs ? " A dot is the change of one pair of trials." : "")
                + (more > 0 ? " \(more) more are in the table." : ""))
    }

    private func row(_ finding: Finding, among all: [Finding]) -> RowChart.Row {
        let figures = FindingFigures(of: finding)
        let scale = (finding.scale ?? 1) / figures.divisor
        let sides = [finding.base, finding.head].map { $0.map(figures.text) ?? FigureText.absent }
        var row = RowChart.Row(
            "\(JudgementText.caseName(of: finding, among: all)), \(JudgementText.metricName(finding.metric))",
            note: "\(sides[0]) → \(sides[1]), \(finding.words(in: judgement.kind))")
        row.middle = (finding.change ?? 0) / figures.divisor
        row.verdict = finding.verdict.drawn
        row.interval = finding.interval.map { $0.lowerBound * scale...$0.upperBound * scale }
        row.limit = finding.limit.map { -abs($0) / figures.divisor...abs($0) / figures.divisor }
        row.dots = (judgement.evidence?.changes(of: finding) ?? []).map { ($0 / figures.divisor, nil) }
        return row
    }
}

extension Finding.Verdict {
    fileprivate var drawn: RowChart.Verdict {
        switch self {
        case .regressed, .overBudget: .worse
        case .improved: .better
        case .unchanged, .notJudged: .same
        case .incomparable, .inconclusive, .missing: .open
        }
    }
}

extension JudgementDocument {
    /// The largest number of pictures; those with steps come first.
    private static let mostSeries = 24

    /// Charts of the judged figures over checks, with their steps.
    var history: DocumentSection {
        var section = DocumentSection("history", "History")
        let points = judgement.evidence?.history ?? []
        guard points.count > 1 else { return section }
        let series = History.series(in: points)
        let ordered = series.filter { !$0.changes.isEmpty } + series.filter(\.changes.isEmpty)
        section.figures = ordered.prefix(Self.mostSeries).map(figure)
        section.paragraphs = ["The median of each check; dashed where its level changed for good."]
        if ordered.count > Self.mostSeries {
            section.paragraphs += ["\(Self.mostSeries) of \(ordered.count) series, those with a change first."]
        }
        return section
    }

    private func figure(of series: History.Series) -> DocumentFigure {
        let mebibyte = 1_048_576.0
        let names = series.points.map { SafeText.forTerminal($0.name) }
        let values = series.points.map(\.value)
        var line = LineChart.Line("", points: values.enumerated().map { (Double($0.offset), $0.element / mebibyte) })
        line.names = zip(names, values).map { "\($0): \(FigureText.size($1)) MiB" }
        var chart = LineChart(
            title: "History of "
                + SafeText.forTerminal("\(series.cell), \(JudgementText.metricName(series.metric.name))"),
            summary:
                "\(values.count) checks, \(FigureText.size(values.first)) MiB at first, \(FigureText.size(values.last)) MiB "
                + "at last; \(SafeText.forTerminal(series.changes.isEmpty ? "no step" : series.changes.joined(separator: "; "))).",
            xAxis: "", yAxis: "median, MiB", lines: [line])
        chart.names = names.enumerated().map { (Double($0.offset), $0.element) }
        chart.steps = series.steps.map { step in
            (Double(step.index) - 0.5, FigureText.growth(step.after - step.before) + " MiB")
        }
        return DocumentFigure(picture: chart.picture)
    }
}
