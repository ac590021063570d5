// SPDX-License-Identifier: Apache-2.0

/// A table of text; the first columns are words and the others figures, or the last alone is words.
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

    /// The table in Markdown.
    package var markdown: String {
        let rule = header.indices.map { words.contains($0) ? ":--" : "--:" }
        return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    /// The table for a terminal, with columns as wide as their widest cell.
    package var plain: String {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([header] + rows).map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return words.contains(column) ? row[column] + padding : padding + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
