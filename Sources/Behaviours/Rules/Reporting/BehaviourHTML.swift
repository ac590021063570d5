// SPDX-License-Identifier: Apache-2.0

import Reports
import Texts

/// A behaviour report as a page of HTML, whose rows are filtered by text, library, API and word.
enum BehaviourHTML {
    static func page(_ report: BehaviourReport) -> HTMLPage {
        var lead = ["\(report.count): \(report.counts).", report.machine + ".", "Loaded: \(report.loaded)."]
        if report.isIncomplete == true { lead.append("Incomplete: interrupted before every promise was tried.") }
        lead.append(BehaviourPage.method.replacing("\n", with: " "))
        let header = [
            "name", "library", "API", "promise", "documented by", "observed", "observation", "cause", "upstream",
            "fixed in", "workaround",
        ]
        let names = Set(report.rows.map(\.name))
        let table = HTMLTable(
            caption: "Behaviours", header: header, rows: report.rows.map { row($0, among: names) }, choices: [1, 2, 5])
        return HTMLPage(
            title: "How the fetch APIs behave", lead: lead.map(SafeText.forTerminal),
            sections: [HTMLSection("behaviours", "Behaviours", tables: [table]), words], isWide: true)
    }

    /// The definitions of the words.
    static let words = HTMLSection(
        "words", "Verdicts", items: Verdict.allCases.map { ("\($0.rawValue):", $0.meaning) })

    private static func row(_ row: BehaviourReport.Row, among names: Set<String>) -> HTMLRow {
        let library = APIName.library(of: row.path)
        let workaround = row.workaround.map { workaround in
            cell(workaround.text)
                + (workaround.row.map { cell(" (") + reference($0, among: names) + cell(")") } ?? cell(""))
        }
        let cells =
            [cell(row.name, link: "#row-" + row.name), cell(library), cell(row.path), cell(row.promise)]
            + [row.documentation.map(source) ?? cell("none"), cell(row.word.rawValue), cell(row.detail)]
            + [cell(row.cause ?? ""), row.upstream.map(issues) ?? cell(""), cell(row.fixedIn ?? "")]
            + [workaround ?? cell("")]
        return HTMLRow(cells, identifier: "row-" + row.name)
    }

    /// Returns the name of a row, with a link if the page has it.
    private static func reference(_ name: String, among names: Set<String>) -> HTMLCell {
        cell(name, link: names.contains(name) ? "#row-" + name : nil)
    }

    private static func source(_ documentation: Documentation) -> HTMLCell {
        cell(documentation.source, link: documentation.link)
            + cell(documentation.says.map { " (no promise: \($0))" } ?? "")
    }

    private static func issues(_ issues: [UpstreamIssue]) -> HTMLCell {
        guard let first = issues.first else { return cell("none found") }
        return issues.dropFirst().reduce(issue(first)) { $0 + cell("; ") + issue($1) }
    }

    private static func issue(_ issue: UpstreamIssue) -> HTMLCell {
        cell(issue.reference, link: issue.link) + cell(" " + issue.stateText)
    }

    /// Returns a cell of a text that is harmless for a log.
    static func cell(_ text: String, link: String? = nil) -> HTMLCell {
        HTMLCell(SafeText.forTerminal(text), link: link)
    }
}
