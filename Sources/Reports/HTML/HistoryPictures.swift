// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import Runs
import Statistics
import Texts

/// Charts of the judged figures over checks, with their steps.
struct HistoryPictures: Sendable {
    private let points: [HistoryPoint]
    /// The largest number of pictures; those with steps come first.
    private static let most = 24

    init(_ judgement: Judgement) {
        points = judgement.evidence?.history ?? []
    }

    var section: HTMLSection {
        var section = HTMLSection("history", "History")
        guard points.count > 1 else {
            section.paragraphs = [
                "No history: it needs at least two checks (fetchbench check --history FILE)."
            ]
            return section
        }
        let series = History.series(in: points)
        let ordered = series.filter { !$0.steps.isEmpty } + series.filter(\.steps.isEmpty)
        section.figures = ordered.prefix(Self.most).map(figure)
        if ordered.count > Self.most {
            section.paragraphs = ["\(Self.most) of \(ordered.count) series, those with a step first."]
        }
        return section
    }

    private func figure(of series: History.Series) -> HTMLFigure {
        let mebibyte = 1_048_576.0
        let name = SafeText.forTerminal("\(series.cell), \(JudgementText.metricName(series.metric.name))")
        let steps = series.steps.map { step in
            HistoryChart.Step(before: step.index, FigureText.growth(step.after - step.before) + " MiB")
        }
        let words = series.steps.map { step in
            "a step of \(FigureText.growth(step.after - step.before)) MiB at \(SafeText.forTerminal(series.points[step.index].name))"
        }
        let values = series.points.map(\.value)
        let picture = HistoryChart(
            title: "History of \(name)",
            summary:
                "\(values.count) checks, \(FigureText.size(values.first)) MiB at first, \(FigureText.size(values.last)) MiB "
                + "at last; \(words.isEmpty ? "no step" : words.joined(separator: "; ")).",
            axis: "median, MiB",
            points: series.points.map {
                HistoryChart.Point(SafeText.forTerminal($0.name), value: $0.value / mebibyte)
            },
            steps: steps
        ).picture
        return HTMLFigure(
            picture: picture, caption: "\(name): the median of each check; dashed where its level changed for good.")
    }
}
