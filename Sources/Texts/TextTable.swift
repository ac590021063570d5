// SPDX-License-Identifier: Apache-2.0

/// A table of text; the first columns are words and the others figures, or the last alone is words.
///
/// No cell breaks out of its line or acts on a terminal, whoever wrote it. What is markup in Markdown is for whoever fills
/// in the cells to escape: some of them are markup.
package struct TextTable: Sendable {
    /// The headings.
    package let header: [String]
    /// The columns that are words, which are set flush left.
    package let words: Range<Int>
    /// The rows, each as long as the header.
    package var rows: [[String]] = []

    /// Creates one whose first columns are words.
    package init(_ header: [String], words: Int) {
        self.header = header
        self.words = 0..<words
    }

    /// Creates one whose figures come first, since what the last column says is long.
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

    /// The heading and the rows, harmless in a terminal.
    private var cells: [[String]] { ([header] + rows).map { $0.map(SafeText.forTerminal) } }

    /// The table for a terminal, with columns as wide as their widest cell.
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
