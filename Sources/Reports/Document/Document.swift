// SPDX-License-Identifier: Apache-2.0

import Charts
package import Runs

/// The content of a report, which is composed once and then written for a terminal, as Markdown or as a page.
///
/// Its texts are not escaped; the writers do that.
package struct Document: Sendable {
    package enum Medium: Sendable {
        case terminal, markdown, page
    }

    package struct Verdict: Sendable {
        package enum Kind: String, Sendable { case good, bad, open }

        let text: String
        let kind: Kind
    }

    package var title: String
    /// The date, the machine, the commit and the number of trials.
    package var subtitle = ""
    package var verdict: Verdict?
    package var answer: [String]
    package var sections: [DocumentSection] = []
    /// True for a page of tables that need the whole width of the window.
    package var isWide = false
    package var topic: String? = "figures"

    package init(title: String, answer: [String], sections: [DocumentSection] = []) {
        (self.title, self.answer, self.sections) = (title, answer, sections)
    }
}

/// A section; its parts appear in the order of the properties.
package struct DocumentSection: Sendable {
    package let identifier: String
    package let heading: String
    package var paragraphs: [String] = []
    package var figures: [DocumentFigure] = []
    package var tables: [DocumentTable] = []
    package var items: [Item] = []
    package var command: String?
    package var legend: [String] = []
    /// True if a terminal shows it without its heading.
    package var isUntitled = false
    /// True for details that a page shows on request.
    package var isFolded = false

    package struct Item: Sendable {
        /// May be empty.
        let term: String
        let text: String
        /// The command that reproduces it, shown on a separate line.
        var command: String?

        package init(_ term: String, _ text: String, command: String? = nil) {
            (self.term, self.text, self.command) = (term, text, command)
        }
    }

    package init(
        _ identifier: String, _ heading: String, paragraphs: [String] = [], figures: [DocumentFigure] = [],
        tables: [DocumentTable] = [], items: [Item] = [], command: String? = nil, legend: [String] = [],
        isUntitled: Bool = false
    ) {
        (self.identifier, self.heading) = (identifier, heading)
        (self.paragraphs, self.figures, self.tables, self.items) = (paragraphs, figures, tables, items)
        (self.command, self.legend, self.isUntitled) = (command, legend, isUntitled)
    }

    package var isEmpty: Bool {
        paragraphs.isEmpty && figures.isEmpty && tables.isEmpty && items.isEmpty && command == nil && legend.isEmpty
    }
}

package struct DocumentFigure: Sendable {
    let picture: ChartPicture
    var caption = ""
    var isTimeline = false
}

/// A table; the script of a page sorts and filters its rows.
package struct DocumentTable: Sendable {
    package let caption: String
    package let header: [String]
    package let words: Range<Int>
    package var rows: [Row]
    package var choices: Set<Int> = []
    /// The column of words that stays even if it says the same in each row.
    package var subject = ""
    /// The columns of figures that are left out where they are constant.
    package var counts: Set<String> = []
    /// The rows of another kind than the others, and their label.
    package var exceptions: Set<Int> = []
    package var label: String?

    package struct Row: Sendable {
        package let cells: [Cell]
        package let identifier: String?

        package init(_ cells: [Cell], identifier: String? = nil) {
            (self.cells, self.identifier) = (cells, identifier)
        }
    }

    package struct Cell: Sendable {
        let parts: [(text: String, link: String?)]

        /// Creates a cell, whose link is left out unless it leads to a page of the web or within this one.
        package init(_ text: String, link: String? = nil) {
            parts = [(text, link.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("#") ? $0 : nil })]
        }

        private init(parts: [(text: String, link: String?)]) { self.parts = parts }

        package var text: String { parts.map(\.text).joined() }

        package static func + (first: Cell, second: Cell) -> Cell { Cell(parts: first.parts + second.parts) }
    }

    package init(_ caption: String, _ table: TextTable, subject: String = "", counts: Set<String> = []) {
        self.caption = caption
        header = table.header
        words = table.words
        rows = table.rows.map { row in Row(row.map { Cell($0) }) }
        (self.subject, self.counts) = (subject, counts)
    }

    package init(_ caption: String, header: [String], rows: [Row], choices: Set<Int>) {
        (self.caption, self.header, self.rows, self.choices) = (caption, header, rows, choices)
        words = header.indices
    }

    func condensed(_ text: (Cell) -> String) -> TextTable.Condensed {
        let header = header.map { text(Cell($0)) }
        var table =
            words.lowerBound == 0 ? TextTable(header, words: words.count) : TextTable(figuresThenWords: header)
        table.rows = rows.map { row in row.cells.map(text) }
        return table.condensed(subject: subject, counts: counts, exceptions: exceptions, label: label)
    }

    /// The table as a page shows it, with links; only tables without links can be condensed.
    var forPage: DocumentTable {
        guard !subject.isEmpty else { return self }
        let condensed = condensed(\.text)
        return DocumentTable(
            condensed.caption.isEmpty ? caption : "\(caption). \(condensed.caption.dropLast())", condensed.table)
    }
}

extension RunWarning {
    var textWithRemedy: String { text + (remedy.map { " → \($0)" } ?? "") }
}
