// SPDX-License-Identifier: Apache-2.0

import Charts
import Runs
import Statistics
import Texts

/// Strip plots of every trial of every case, with medians and their intervals.
struct SpreadPictures: Sendable {
    private let report: Report
    /// The number of dots up to which they have names.
    private static let mostNamed = 500
    /// The rows that fit in a readable picture.
    private static let mostRows = 40

    init(_ report: Report) {
        self.report = report
    }

    /// The section with a picture for each asset and render model, because bitmaps would hide other differences.
    var section: HTMLSection {
        var section = HTMLSection("spread", "Spread")
        section.figures = groups.flatMap { $0.chunks(ofCount: Self.mostRows) }.compactMap(figure)
        if section.figures.isEmpty {
            section.paragraphs = ["The dots of all trials are left out: no trial has a peak growth."]
        } else {
            section.paragraphs = [
                "A dot a trial; the thick line is the median, the thin one its interval at 95 % or more (by ranks; with "
                    + "fewer than six trials there is none)."
            ]
        }
        return section
    }

    private var groups: [[CaseSummary]] {
        report.fetched.filter { $0.median(of: .peakResidentGrowth) != nil }
            .grouped { [$0.cell.asset, $0.cell.render] }.map(\.elements)
    }

    private func figure(of group: [CaseSummary]) -> HTMLFigure? {
        guard let first = group.first?.cell else { return nil }
        let hasAllocators = Set(report.run.plan.allocators).count > 1
        let rows = group.compactMap { row($0, namesAllocator: hasAllocators) }
        let what = first.asset == Case.nullAsset ? "nothing fetched" : first.asset
        let render = first.render == Case.withoutRendering ? "" : " + " + first.render
        let picture = StripPlot(
            title: SafeText.forTerminal("Peak growth of every trial: \(what)\(render)"),
            summary: rows.map(\.spoken).joined(separator: "; ") + ".", axis: "peak growth, MiB",
            rows: rows.map(\.row), namesDots: report.run.trials.count <= Self.mostNamed
        ).picture
        return HTMLFigure(picture: picture)
    }

    private func row(_ summary: CaseSummary, namesAllocator: Bool) -> (row: StripPlot.Row, spoken: String)? {
        let cell = summary.cell
        let label = SafeText.forTerminal(
            ([cell.mode] + (namesAllocator ? [cell.allocator.rawValue] : [])
                + (cell.conditionsText.isEmpty ? [] : [cell.conditionsText])).joined(separator: " · "))
        return summary.strip(of: .peakResidentGrowth, label: label, dot: "trial", text: FigureText.growth)
    }
}

extension CaseSummary {
    /// Returns a row of a strip plot with its description; `nil` if no trial has a value.
    func strip(
        of metric: Metric, label: String, dot: String, text: (Double?) -> String
    ) -> (row: StripPlot.Row, spoken: String)? {
        guard let values = values(of: metric) else { return nil }
        let mebibyte = 1_048_576.0
        let dots = trials.compactMap { trial -> (value: Double, name: String)? in
            guard trial.isCompleted, let value = metric.value(trial) else { return nil }
            return (value / mebibyte, "\(dot) \(trial.number): \(text(value)) MiB")
        }
        let interval = MedianInterval.interval(ofSorted: values.sorted).map {
            $0.lowerBound / mebibyte...$0.upperBound / mebibyte
        }
        return (
            StripPlot.Row(label, values: dots, median: values.median / mebibyte, interval: interval),
            "\(label): \(text(values.median)) MiB, \(FigureText.range(values)), n \(values.count)"
        )
    }
}
