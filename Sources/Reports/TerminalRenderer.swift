// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
package import Runs
import Statistics
import Texts
import TrialKit

/// Renders the summary of a run for a terminal: the answer, the tables, a legend of what is in them, the warnings.
///
/// No line is wider than ``Prose/width``, except for names that are.
package struct TerminalRenderer: TextRenderer {
    package let name = "table"
    package let summary = "the answer first, then the table of all cases, how to read it, the warnings"

    package init() {}

    package func text(of report: Report) -> String {
        let answer = Prose.wrapped(Headline(report, escape: SafeText.forTerminal).answer) + "\n"
        let parts = [
            answer, budgets(of: report.run), report.run.plan.fetches ? fetches(of: report) : "",
            CommandReport(report).map { CommandsTextRenderer($0).plain } ?? "",
            AllocatorSection(report.allocatorCurves)?.plain ?? "", warnings(of: report), Self.guide,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The verdicts of budgets given for the run.
    private func budgets(of run: RunRecord) -> String {
        guard run.kind == .run, let findings = try? BudgetJudge.findings(ofHead: run) else { return "" }
        return findings.map { Prose.wrapped(FindingLine($0, of: .check).textWithVerdict, indent: 2) + "\n" }.joined()
    }

    /// The way to the explanation of every figure.
    static let guide = "How to read this: fetchbench help figures\n"

    private func fetches(of report: Report) -> String {
        let cases = CasesTable(report)
        let slopes =
            ReportTables(report, escape: SafeText.forTerminal).slopes.map {
                let table = $0.condensed(subject: "mode")
                return "\nPeak growth = a + k · size:\n\n" + table.table.plain(width: Prose.width)
                    + Prose.wrapped(table.caption)
            } ?? ""
        let notes = cases.legend + ConditionNotes(report.run.plan).text + PictureNotes(report).text
        return cases.table.plain(width: Prose.width) + ScenarioTables(report, escape: SafeText.forTerminal).plain
            + slopes + "\n" + Prose.wrapped(notes)
    }

    private func warnings(of report: Report) -> String {
        // Plain commands have their own lines for failures.
        let failures = RunDoubts.failures(of: report.run) { report.failuresAreShown || $0.isPlain }
        let warnings = report.run.warnings.filter { !failures.contains($0) }.map { "warning: \($0.textWithRemedy)" }
        let skipped = InapplicableGroup.all(in: report.run.plan).map { group in
            let more = group.cells.count == 1 ? "" : " and \(group.cells.count - 1) more"
            return "not applicable: \(group.cells[0].identifier)\(more) — \(group.reason)"
        }
        return (warnings + skipped).map { Prose.wrapped(SafeText.forTerminal($0), indent: 2) + "\n" }.joined()
    }
}

/// The table of the fetching cases for a terminal, the null cases last, and a legend of its columns.
private struct CasesTable {
    /// The label of a case that does not fetch.
    private static let null = "(nothing fetched)"

    private let report: Report
    private let condensed: TextTable.Condensed

    init(_ report: Report) {
        self.report = report
        let table = Self.table(of: report)
        let nulls = Set(table.rows.indices.filter { table.rows[$0].contains(Self.null) })
        condensed = table.condensed(subject: "mode", counts: ["n"], exceptions: nulls, label: Self.null)
    }

    var table: TextTable { condensed.table }

    /// The columns that are left out, and the meaning of those that are shown; a line feed behind each sentence.
    var legend: String {
        let summaries = report.fetched
        let header = table.header
        let isEmbedded = report.run.plan.assets.contains(where: \.isEmbedded)
        let isPaced = isEmbedded && report.run.plan.settings.rate == TransferRate.standard.text
        let lines: [String?] = [
            condensed.caption.isEmpty ? nil : String(condensed.caption.dropLast()),
            (report.run.plan.trials > 1 ? "Medians. " : "") + "Growth in MiB since the end of the warm-up.",
            header.contains("k") ? "k: copies of the file in memory at the peak, without the decoded picture." : nil,
            header.contains("CV") ? "CV: variation of the whole peak between trials." : nil,
            summaries.contains { $0.cell.asset == Case.nullAsset }
                ? "\(Self.null): the same process without a fetch." : nil,
            isPaced ? "The embedded origin sends 60 MiB/s; use --rate unlimited for throughput." : nil,
            report.run.plan.commands.contains(where: \.fetches)
                ? "Commands are measured whole, from exec to exit.\(report.cases.timeLegend)" : nil,
        ]
        return lines.compactMap { $0.map { $0 + "\n" } }.joined()
    }

    private static func table(of report: Report) -> TextTable {
        let words = ["asset", "mode", "render", "allocator", "conditions"]
        var table = TextTable(
            words + ["n", "peak", "CV", "anonymous", "k", "fetch ms", "CPU ms"], words: words.count)
        let isNull = { (summary: CaseSummary) in summary.cell.asset == Case.nullAsset }
        let fetched = report.fetched
        table.rows = (fetched.filter { !isNull($0) } + fetched.filter(isNull)).map { summary in
            identity(of: summary, isNull: isNull(summary)) + [
                FigureText.count(summary), FigureText.growth(summary.median(of: .peakResidentGrowth)),
                FigureText.percent(summary.values(of: .peakResident)?.coefficientOfVariation),
                FigureText.growth(summary.median(of: .peakAnonymousGrowth)), FigureText.ratio(summary.copies),
                summary.timeMark + FigureText.milliseconds(summary.median(of: .duration(of: .fetch))),
                FigureText.milliseconds(summary.median(of: .cpu(of: .fetch))),
            ]
        }
        return table
    }

    private static func identity(of summary: CaseSummary, isNull: Bool) -> [String] {
        let cell = summary.cell
        let fetch = isNull ? ["", null, ""] : [summary.assetText, cell.mode, cell.render]
        return fetch + [cell.allocator.rawValue, cell.conditionsText]
    }
}

extension CaseSummary {
    /// The asset with its size, unless that is its name: `hero (12.5 MiB)`, `16MiB`.
    var assetText: String {
        guard let size = asset?.byteCount, ByteCount(parsing: cell.asset) == nil else { return cell.asset }
        return "\(cell.asset) (\(ByteText.mebibytes(size)))"
    }
}

extension RunWarning {
    var textWithRemedy: String { text + (remedy.map { " → \($0)" } ?? "") }
}
