// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Statistics
import Texts
import TrialKit

/// Renders the summary of a run for a terminal.
package struct TerminalRenderer: TextRenderer {
    package let name = "table"
    package let summary = "the answer first, then the table of all cases, how to read it, the warnings"

    package init() {}

    /// Returns the answer to what a download task saves, the table of all cases, its legend and the warnings.
    package func text(of report: Report) -> String {
        let commands = CommandReport(report).map { CommandsTextRenderer($0).plain } ?? ""
        guard report.run.plan.fetches else { return commands + warnings(of: report) }
        return fetches(of: report) + (commands.isEmpty ? "" : "\n" + commands)
            + (AllocatorSection(report.allocatorCurves)?.plain ?? "") + warnings(of: report)
    }

    private func fetches(of report: Report) -> String {
        let table = cases(of: report)
        let commands =
            report.run.plan.commands.allSatisfy { !$0.fetches }
            ? "" : "Commands are measured whole, from exec to exit.\(report.cases.timeLegend)\n"
        let legend =
            "Medians of completed trials; growth in MiB since the mark that ends the warm-up.\n"
            + "k: encoded copies held (with rendering, besides the bitmap). CV: variation of the whole size at the peak.\n"
            + "CPU of the streams and raw includes hashing while reading; with at-once, that of models that drop the body, too.\n"
            + commands + ConditionNotes(report.run.plan).text + PictureNotes(report).text
        let slopes =
            ReportTables(report, escape: SafeText.forTerminal).slopes.map {
                "\nPeak growth = a + k · size:\n" + $0.plain
            } ?? ""
        return answer(of: report) + table.plain + ScenarioTables(report, escape: SafeText.forTerminal).plain + slopes
            + "\n" + legend
    }

    private func warnings(of report: Report) -> String {
        let warnings = report.run.warnings.map { warning in
            "warning: \(SafeText.forTerminal(warning.textWithRemedy))\n"
        }
        let skipped = InapplicableGroup.all(in: report.run.plan).map { group in
            let more = group.cells.count == 1 ? "" : " and \(group.cells.count - 1) more"
            return "not applicable: \(SafeText.forTerminal(group.cells[0].identifier))\(more) — "
                + SafeText.forTerminal(group.reason) + "\n"
        }
        return (warnings + skipped).joined()
    }

    private func answer(of report: Report) -> String {
        guard let answer = report.downloadAnswer.map({ DownloadAnswerText($0, escape: SafeText.forTerminal) }) else {
            return ""
        }
        return answer.sentence + "\n\n" + answer.table.plain + "\n" + answer.legend + "\n"
    }

    private func cases(of report: Report) -> TextTable {
        let hasConditions = report.run.plan.hasConditions
        let words = ["asset", "mode", "render", "allocator"] + (hasConditions ? ["conditions"] : [])
        var table = TextTable(
            words + ["n", "peak MiB", "CV of peak", "anonymous", "k", "fetch ms", "CPU ms"], words: words.count)
        for summary in report.fetched {
            let cell = summary.cell
            let identity = [cell.asset, cell.mode, cell.render, cell.allocator.rawValue]
            table.rows.append(
                identity + (hasConditions ? [cell.conditionsText] : []) + [
                    FigureText.count(summary), FigureText.growth(summary.median(of: .peakResidentGrowth)),
                    FigureText.percent(summary.values(of: .peakResident)?.coefficientOfVariation),
                    FigureText.growth(summary.median(of: .peakAnonymousGrowth)),
                    FigureText.ratio(summary.copies),
                    summary.timeMark + FigureText.milliseconds(summary.median(of: .duration(of: .fetch))),
                    FigureText.milliseconds(summary.median(of: .cpu(of: .fetch))),
                ])
        }
        return table
    }
}

extension RunWarning {
    var textWithRemedy: String { text + (remedy.map { " → \($0)" } ?? "") }
}
