// SPDX-License-Identifier: Apache-2.0

/// A table of text, whose columns are words or figures.
///
/// Cells are made harmless for terminals and stay on one line. Markdown has to be escaped by the caller, as some cells
/// contain markup.
package struct TextTable: Sendable {
    package let header: [String]
    /// The left-aligned columns of words.
    package let words: Range<Int>
    /// The rows, each as long as the header.
    package var rows: [[String]] = []

    /// Creates a table whose first columns are words.
    package init(_ header: [String], words: Int) {
        self.header = header
        self.words = 0..<words
    }

    /// Creates a table whose last column is words, which may be long.
    package init(figuresThenWords header: [String]) {
        self.header = header
        words = (header.count - 1)..<header.count
    }

    package var markdown: String {
        let rule = header.indices.map { words.contains($0) ? ":--" : "--:" }
        var lines = cells
        lines.insert(rule, at: 1)
        return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    /// The header and the rows, escaped for a terminal.
    private var cells: [[String]] { ([header] + rows).map { $0.map(SafeText.forTerminal) } }

    /// The table for a terminal, with aligned columns.
    package var plain: String {
        let lines = cells
        let widths = header.indices.map { column in
            lines.map { $0[column].count }.max() ?? 0
        }
        return lines.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return words.contains(column) ? row[column] + padding : padding + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
