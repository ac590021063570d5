// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import Runs

/// Peaks on a common axis: a bar for each case with its parts, its lowest and its highest trial and its budget; and the
/// spread of all trials.
struct PeakPictures: Sendable {
    /// The rows that fit in a readable picture; the others are in the table.
    private static let mostRows = 40
    /// The cases in the order of the plan; of more, the highest are first, to be found at once.
    private static let mostInOrder = 12
    private static let mostSpreads = 12
    /// The number of dots up to which they have names.
    private static let mostNamed = 500
    private static let mebibyte = 1_048_576.0

    private let report: Report
    private let budgets: [Finding]

    init(_ report: Report, budgets: [Finding] = []) {
        (self.report, self.budgets) = (report, budgets)
    }

    var figure: DocumentFigure? {
        // Of a sweep the largest asset says most; the lines are in a picture of their own.
        let smaller = Set(report.sweeps.flatMap { $0.cases.dropLast() })
        let measured = report.cases.filter { !smaller.contains($0.cell) }.compactMap { summary in
            summary.median(of: .peakResidentGrowth).map { (summary: summary, growth: $0) }
        }.withLast { $0.summary.cell.asset == Case.nullAsset }
        let isOrdered = measured.count > Self.mostInOrder
        let ordered = isOrdered ? measured.sorted { $0.growth > $1.growth } : measured
        let shown = ordered.prefix(Self.mostRows).map(\.summary)
        guard !shown.isEmpty else { return nil }
        let more = measured.count - shown.count
        let picture = picture(
            of: shown, title: "Peak memory of \(shown.count == 1 ? "the case" : "each case")",
            label: { report.label(of: $0.cell) })
        let parts =
            ["Medians, with the lowest and the highest trial."] + (isOrdered ? ["The highest are first."] : [])
            + (more > 0 ? ["\(more) lower cases are in the table."] : [])
        return DocumentFigure(picture: picture, caption: parts.joined(separator: " "))
    }

    /// The picture of what a download task saves, for documents; `nil` if one of the four cases was not measured.
    var answer: ChartPicture? {
        guard let answer = report.downloadAnswer else { return nil }
        let tasks = [
            ("data", answer.plain.data), ("data + rendering", answer.rendered.data),
            ("download", answer.plain.download),
            ("download + rendering", answer.rendered.download),
        ]
        return picture(of: tasks.map(\.1), title: "Peak memory of fetching \(answer.asset.name)") { summary in
            tasks.first { $0.1.cell == summary.cell }?.0 ?? ""
        }
    }

    private func picture(of summaries: [CaseSummary], title: String, label: (CaseSummary) -> String) -> ChartPicture {
        picture(of: summaries.map { row($0, label: SafeText.forTerminal(label($0))) }, summaries, title: title)
    }

    private func picture(of rows: [RowChart.Row], _ summaries: [CaseSummary], title: String) -> ChartPicture {
        let chart = RowChart(
            title: SafeText.forTerminal(title),
            summary: rows.map { "\($0.label): \($0.note)" }.joined(separator: "; ") + ".",
            axis: summaries.allSatisfy(\.cell.isPlain) ? "peak, MiB" : "peak growth, MiB", rows: rows)
        return chart.picture
    }

    private func row(_ summary: CaseSummary, label: String) -> RowChart.Row {
        let total = (summary.median(of: .peakResidentGrowth) ?? 0) / Self.mebibyte
        let anonymous = min(total, (summary.median(of: .peakAnonymousGrowth) ?? 0) / Self.mebibyte)
        let size = summary.median(of: .peakResidentGrowth)
        let rulers = rulers(of: summary)
        // Beside a bitmap the copies are those that are left, of which k says nothing.
        let copies = rulers.isEmpty ? summary.copies.map { " · k \(FigureText.ratio($0))" } ?? "" : ""
        var row = RowChart.Row(
            label, note: (summary.cell.isPlain ? FigureText.size(size) : FigureText.growth(size)) + " MiB" + copies)
        // Smaller differences come from the kernel's batched counters, not from mapped files.
        let file = total - anonymous > 0.02 ? total - anonymous : 0
        row.parts = [(.anonymous, file > 0 ? anonymous : total), (.file, file)]
        row.rulers = rulers
        // A row with a bitmap compares what the process holds.
        if row.rulers.isEmpty, let charged = summary.median(of: summary.cell.isPlain ? .chargedPeak : .chargedGrowth) {
            row.parts.append((.charged, max(0, charged / Self.mebibyte - total)))
        }
        if let values = summary.values(of: .peakResidentGrowth), values.count > 1 {
            row.interval = values.minimum / Self.mebibyte...values.maximum / Self.mebibyte
        }
        // A budget names a metric by its word.
        let budget = budgets.first { $0.cell == summary.cell.identifier && $0.metric == "peak" }
        row.limit = budget?.limit.map { 0...max(0, $0 / Self.mebibyte) }
        return row
    }

    /// Returns the bitmap and a length for each encoded copy, and for a significant part of one, of a rendered picture.
    private func rulers(of summary: CaseSummary) -> [(ruler: RowChart.Ruler, value: Double, label: String)] {
        guard let bitmap = summary.median(of: .bitmap), bitmap > 0 else { return [] }
        let first = (RowChart.Ruler.bitmap, bitmap / Self.mebibyte, "bitmap \(FigureText.size(bitmap)) MiB")
        guard let count = summary.median(of: .copiesBesideBitmap), let size = summary.asset?.byteCount,
            (0...20).contains(count)
        else { return [first] }
        let encoded = Double(size.rawValue) / Self.mebibyte
        let isWhole = abs(count - count.rounded()) < SizeSweep.tolerance
        let whole = isWhole ? count.rounded() : count.rounded(.down)
        let copies = (0..<Int(whole)).map { (RowChart.Ruler.copy, encoded, "copy \($0 + 1)") }
        let part =
            isWhole
            ? [] : [(RowChart.Ruler.copy, encoded * (count - whole), "\(FigureText.ratio(count - whole)) of a copy")]
        return [first] + copies + part
    }
}

// MARK: - The spread of the trials

extension PeakPictures {
    /// The section with a picture for each asset and render model, because bitmaps would hide other differences.
    var spread: DocumentSection {
        var section = DocumentSection("spread", "Spread of the trials")
        let groups = report.cases.filter { $0.median(of: .peakResidentGrowth) != nil }
            .grouped { [$0.cell.isPlain ? "" : $0.cell.asset, $0.cell.render] }.map(\.elements)
        let parts = groups.flatMap { $0.chunks(ofCount: Self.mostRows) }
        section.figures = parts.prefix(Self.mostSpreads).map { group in
            let cell = group[0].cell
            let what = cell.isPlain ? "commands" : cell.asset == Case.nullAsset ? "nothing fetched" : cell.asset
            let render = cell.render == Case.withoutRendering ? "" : " + " + cell.render
            return DocumentFigure(
                picture: picture(
                    of: group.compactMap(spreadRow), group, title: "Peak of every trial: \(what)\(render)"))
        }
        if !section.figures.isEmpty {
            section.paragraphs =
                [
                    "A dot a trial; the thick line is the median, the thin one its interval at 95 % or more (by ranks; with "
                        + "fewer than six trials there is none)."
                ] + (parts.count > Self.mostSpreads ? ["Other cases are in trials.csv."] : [])
        }
        return section
    }

    private func spreadRow(of summary: CaseSummary) -> RowChart.Row? {
        guard let values = summary.values(of: .peakResidentGrowth) else { return nil }
        var row = RowChart.Row(
            SafeText.forTerminal(report.label(of: summary.cell)),
            note: "\(FigureText.growth(values.median)) MiB, n \(values.count)")
        let areNamed = report.run.trials.count <= Self.mostNamed
        row.dots = summary.trials.ofCompleted { trial in
            guard let value = Metric.peakResidentGrowth.value(trial) else { return nil }
            let name = "trial \(trial.number): \(FigureText.growth(value)) MiB"
            return (value / Self.mebibyte, areNamed ? name : nil)
        }
        row.interval = OrderStatistics.MedianInterval.interval(ofSorted: values.sorted).map {
            $0.lowerBound / Self.mebibyte...$0.upperBound / Self.mebibyte
        }
        row.middle = values.median / Self.mebibyte
        return row
    }
}

extension Report {
    static let nullLabel = "(nothing fetched)"

    func label(of cell: Case) -> String {
        guard !cell.isPlain else { return cell.title }
        let isNull = { (cell: Case) in cell.asset == Case.nullAsset }
        let all = fetched.map(\.cell).filter { !isNull($0) }
        let words: [(Case) -> String] = [
            { isNull($0) ? Self.nullLabel : $0.mode }, { isNull($0) ? "" : $0.asset },
            { $0.render == Case.withoutRendering ? "" : $0.render }, \.allocator.rawValue, \.conditionsText,
        ]
        let differing = words.enumerated().filter { $0.offset == 0 || Set(all.map($0.element)).count > 1 }
        return differing.map { $0.element(cell) }.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// Peak growth against the size of the asset, with the fitted lines: a picture for each render model, allocator and
    /// conditions, and more if there are too many lines.
    var slopePictures: [ChartPicture] {
        let groups = sweeps.grouped { sweep in
            [sweep.common.render, sweep.common.allocator.rawValue, sweep.common.conditionsText]
        }
        return groups.flatMap { $0.elements.chunks(ofCount: ChartStyle.seriesCount) }.map(slopePicture)
    }

    private func slopePicture(of sweeps: [SizeSweep]) -> ChartPicture {
        let mebibyte = 1_048_576.0
        let common = sweeps[0].common
        let render = common.render == Case.withoutRendering ? "" : " with " + common.render
        let conditions = common.conditionsText.isEmpty ? "" : ", " + common.conditionsText
        let spoken = sweeps.map { sweep in
            "\(sweep.common.mode): slope \(ByteText.fixed(sweep.line.slope, places: 2)), \(sweep.verdict.words)"
        }
        return LineChart(
            title: SafeText.forTerminal("Peak growth against size\(render), \(common.allocator.rawValue)\(conditions)"),
            summary: SafeText.forTerminal(spoken.joined(separator: "; ")) + ".", xAxis: "size of the asset, MiB",
            yAxis: "peak growth, MiB; slopes at the right",
            lines: sweeps.map { sweep in
                var line = LineChart.Line(
                    SafeText.forTerminal("\(sweep.common.mode)  \(ByteText.fixed(sweep.line.slope, places: 2))"),
                    points: points(of: sweep).map { (x: $0.x / mebibyte, y: $0.y / mebibyte) })
                line.fit = (sweep.line.intercept / mebibyte, sweep.line.slope)
                return line
            }
        ).picture
    }

    private func points(of sweep: SizeSweep) -> [(x: Double, y: Double)] {
        let cells = Set(sweep.cases)
        return cases.filter { cells.contains($0.cell) }.flatMap { summary in
            summary.trials.ofCompleted { trial in
                guard let size = trial.requestedByteCount, let y = Metric.peakResidentGrowth.value(trial) else {
                    return nil
                }
                return (x: Double(size.rawValue), y: y)
            }
        }
    }
}
