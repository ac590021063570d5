// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import MemProbe
import Runs
import Statistics
import Support

/// Draws what commands hold as a page for a browser.
struct ExecHTMLRenderer: TextRenderer {
    let name = "html"
    let summary = "one page with pictures, for a browser"
    let file = RunFolder.File?.some(.page)

    func text(of report: ExecReport) throws(FetchBenchError) -> String {
        HTMLTemplate.text(of: ExecPage(report).page)
    }
}

/// What the page shows.
struct ExecPage: Sendable {
    /// More rows than this are no picture.
    private static let mostRows = 40
    /// More dots than this tell no names.
    private static let mostNamed = 500

    private let report: ExecReport
    private let tables: ExecTables
    private let remarks: ExecRemarks

    init(_ report: ExecReport) {
        self.report = report
        tables = ExecTables(report) { SafeText.forTerminal($0) }
        remarks = ExecRemarks(report)
    }

    /// The page.
    var page: HTMLPage {
        HTMLPage(
            title: "What commands hold",
            lead: ["\(report.tool), \(report.finishedAt ?? "\(report.startedAt), interrupted")"],
            sections: [findings, peaks, comparisons, guide].compactMap(\.self))
    }

    private var findings: HTMLSection? {
        guard !remarks.findings.isEmpty else { return nil }
        var section = HTMLSection("findings", "Findings")
        section.items = remarks.findings.map { ("\($0.word):", SafeText.forTerminal($0.text)) }
        return section
    }

    private var peaks: HTMLSection {
        var section = HTMLSection("peaks", "Peaks")
        section.figures = [figure].compactMap(\.self)
        section.tables = [
            HTMLTable(caption: "Commands: medians", table: tables.peaks),
            HTMLTable(caption: "Processes of commands that have more than one", table: tables.processes),
        ].filter { !$0.table.rows.isEmpty }
        return section
    }

    private var comparisons: HTMLSection? {
        let table = tables.comparisons
        guard !table.rows.isEmpty else { return nil }
        var section = HTMLSection("comparisons", "Comparisons")
        section.tables = [HTMLTable(caption: "Comparisons", table: table)]
        return section
    }

    private var guide: HTMLSection {
        var section = HTMLSection("guide", "How to read this")
        section.items = remarks.legend.map { ("", SafeText.forTerminal($0)) }
        return section
    }

    /// Every run of every command on one axis.
    private var figure: HTMLFigure? {
        let rows = report.rows.prefix(Self.mostRows).compactMap { strip($0) }
        guard !rows.isEmpty else { return nil }
        let words = rows.map { $0.spoken }.joined(separator: "; ")
        return HTMLFigure(
            picture: StripPlot(
                title: "Peak of every run", summary: words + ".", axis: "peak, MiB", rows: rows.map { $0.row },
                namesDots: report.trials.count <= Self.mostNamed
            ).picture)
    }

    private func strip(_ row: ExecRow) -> (row: StripPlot.Row, spoken: String)? {
        guard let values = row.values(of: .peak) else { return nil }
        let mebibyte = 1_048_576.0
        let label = SafeText.forTerminal(row.cell.name)
        let dots = row.trials.compactMap { trial -> (value: Double, name: String)? in
            trial.measurement.flatMap(ExecFigure.peak.value).map {
                ($0 / mebibyte, "run \(trial.number): \(FigureText.size($0)) MiB")
            }
        }
        let interval = MedianInterval.interval(ofSorted: values.sorted).map {
            $0.lowerBound / mebibyte...$0.upperBound / mebibyte
        }
        return (
            StripPlot.Row(label, values: dots, median: values.median / mebibyte, interval: interval),
            "\(label): \(FigureText.size(values.median)) MiB, \(FigureText.range(values)), n \(values.count)"
        )
    }
}
