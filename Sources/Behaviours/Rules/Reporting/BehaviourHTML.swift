// SPDX-License-Identifier: Apache-2.0

import Reports

/// A behaviour report as a page of HTML, whose rows are filtered by text, library, API and word.
enum BehaviourHTML {
    static func page(_ report: BehaviourReport) -> Document {
        let incomplete = report.isIncomplete == true ? ["Incomplete: interrupted before every promise was tried."] : []
        let header = [
            "name", "library", "API", "promise", "documented by", "observed", "observation", "cause", "upstream",
            "fixed in", "workaround",
        ]
        let names = Set(report.rows.map(\.name))
        var section = DocumentSection("behaviours", "Behaviours")
        section.tables = [
            DocumentTable(
                "Behaviours", header: header, rows: report.rows.map { row($0, among: names) }, choices: [1, 2, 5])
        ]
        var document = Document(
            title: "How the fetch APIs behave", answer: ["\(report.count): \(report.counts)."] + incomplete,
            sections: [section, words, method(of: report)])
        document.subtitle = report.machine
        document.isWide = true
        return document
    }

    /// The definitions of the words.
    static var words: DocumentSection {
        var section = DocumentSection("words", "Verdicts")
        section.items = Verdict.allCases.map { .init($0.rawValue, $0.meaning) }
        return section
    }

    private static func method(of report: BehaviourReport) -> DocumentSection {
        var section = DocumentSection("method", "How they were tried")
        section.isFolded = true
        section.paragraphs = ["Loaded: \(report.loaded).", BehaviourPage.method.replacing("\n", with: " ")]
        return section
    }

    private static func row(_ row: BehaviourReport.Row, among names: Set<String>) -> DocumentTable.Row {
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
        return DocumentTable.Row(cells, identifier: "row-" + row.name)
    }

    /// Returns the name of a row, with a link if the page has it.
    private static func reference(_ name: String, among names: Set<String>) -> DocumentTable.Cell {
        cell(name, link: names.contains(name) ? "#row-" + name : nil)
    }

    private static func source(_ documentation: Documentation) -> DocumentTable.Cell {
        cell(documentation.source, link: documentation.link)
            + cell(documentation.says.map { " (no promise: \($0))" } ?? "")
    }

    private static func issues(_ issues: [UpstreamIssue]) -> DocumentTable.Cell {
        guard let first = issues.first else { return cell("none found") }
        return issues.dropFirst().reduce(issue(first)) { $0 + cell("; ") + issue($1) }
    }

    private static func issue(_ issue: UpstreamIssue) -> DocumentTable.Cell {
        cell(issue.reference, link: issue.link) + cell(" " + issue.stateText)
    }

    static func cell(_ text: String, link: String? = nil) -> DocumentTable.Cell {
        DocumentTable.Cell(text, link: link)
    }
}
