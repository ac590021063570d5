// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import Runs
import Statistics
import Texts

extension JudgementDocument {
    /// The largest number of pictures; those with steps come first.
    private static let mostSeries = 24

    /// Charts of the judged figures over checks, with their steps.
    var history: DocumentSection {
        var section = DocumentSection("history", "History")
        let points = judgement.evidence?.history ?? []
        guard points.count > 1 else { return section }
        let series = History.series(in: points)
        let ordered = series.filter { !$0.steps.isEmpty } + series.filter(\.steps.isEmpty)
        section.figures = ordered.prefix(Self.mostSeries).map(figure)
        section.paragraphs = ["The median of each check; dashed where its level changed for good."]
        if ordered.count > Self.mostSeries {
            section.paragraphs += ["\(Self.mostSeries) of \(ordered.count) series, those with a step first."]
        }
        return section
    }

    private func figure(of series: History.Series) -> DocumentFigure {
        let mebibyte = 1_048_576.0
        let names = series.points.map { SafeText.forTerminal($0.name) }
        let words = series.steps.map { step in
            "a step of \(FigureText.growth(step.after - step.before)) MiB at \(names[step.index])"
        }
        let values = series.points.map(\.value)
        var line = LineChart.Line("", points: values.enumerated().map { (Double($0.offset), $0.element / mebibyte) })
        line.names = zip(names, values).map { "\($0): \(FigureText.size($1)) MiB" }
        var chart = LineChart(
            title: "History of "
                + SafeText.forTerminal("\(series.cell), \(JudgementText.metricName(series.metric.name))"),
            summary:
                "\(values.count) checks, \(FigureText.size(values.first)) MiB at first, \(FigureText.size(values.last)) MiB "
                + "at last; \(words.isEmpty ? "no step" : words.joined(separator: "; ")).",
            xAxis: "", yAxis: "median, MiB", lines: [line])
        chart.names = names.enumerated().map { (Double($0.offset), $0.element) }
        chart.steps = series.steps.map { step in
            (Double(step.index) - 0.5, FigureText.growth(step.after - step.before) + " MiB")
        }
        return DocumentFigure(picture: chart.picture)
    }
}
