// SPDX-License-Identifier: Apache-2.0

import Charts
import Judging
import Runs
import Statistics
import Texts

/// The sections on plain commands of a run's page.
struct CommandsPage: Sendable {
    /// The rows that fit in a readable picture.
    private static let mostRows = 40
    /// The number of dots up to which they have names.
    private static let mostNamed = 500

    private let report: CommandReport
    private let tables: CommandsTables
    private let remarks: CommandsRemarks

    init(_ report: CommandReport) {
        self.report = report
        tables = CommandsTables(report) { SafeText.forTerminal($0) }
        remarks = CommandsRemarks(report)
    }

    var sections: [HTMLSection] { [findings, peaks, comparisons, guide].compactMap(\.self) }

    private var findings: HTMLSection? {
        guard !remarks.findings.isEmpty else { return nil }
        let items = remarks.findings.map { ("\($0.word):", SafeText.forTerminal($0.text)) }
        return HTMLSection("command-findings", "Findings", items: items)
    }

    private var peaks: HTMLSection {
        var section = HTMLSection("commands", "What commands hold")
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
        return HTMLSection(
            "command-comparisons", "Comparisons", tables: [HTMLTable(caption: "Comparisons", table: table)])
    }

    private var guide: HTMLSection {
        HTMLSection(
            "command-guide", "How to read what commands hold",
            items: remarks.legend.map { ("", SafeText.forTerminal($0)) })
    }

    private var figure: HTMLFigure? {
        let rows = report.rows.prefix(Self.mostRows).compactMap { strip($0) }
        guard !rows.isEmpty else { return nil }
        let words = rows.map { $0.spoken }.joined(separator: "; ")
        return HTMLFigure(
            picture: StripPlot(
                title: "Peak of every run", summary: words + ".", axis: "peak, MiB", rows: rows.map { $0.row },
                namesDots: report.run.trials.count <= Self.mostNamed
            ).picture)
    }

    private func strip(_ row: CaseSummary) -> (row: StripPlot.Row, spoken: String)? {
        guard let values = row.values(of: .peakResident) else { return nil }
        let mebibyte = 1_048_576.0
        let label = SafeText.forTerminal(row.cell.title)
        let dots = row.trials.compactMap { trial -> (value: Double, name: String)? in
            guard trial.isCompleted else { return nil }
            return Metric.peakResident.value(trial).map {
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
