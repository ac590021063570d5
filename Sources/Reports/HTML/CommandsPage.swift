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
        var section = HTMLSection("commands", "Memory of commands")
        section.figures = [figure].compactMap(\.self)
        section.tables = [
            HTMLTable(caption: "Commands: medians", table: tables.peaks),
            HTMLTable(caption: "Processes of commands that have more than one", table: tables.processes),
        ].filter { !$0.rows.isEmpty }
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
            "command-guide", "How to read the memory of commands",
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
        row.strip(of: .peakResident, label: SafeText.forTerminal(row.cell.title), dot: "run", text: FigureText.size)
    }
}
