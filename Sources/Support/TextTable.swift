// SPDX-License-Identifier: Apache-2.0

/// A table of text; the first columns are words, the others figures.
package struct TextTable: Sendable {
    /// The headings.
    package let header: [String]
    /// How many columns are words, which are set flush left.
    package let words: Int
    /// The rows, each as long as the header.
    package var rows: [[String]] = []

    package init(_ header: [String], words: Int) {
        self.header = header
        self.words = words
    }

    /// The table in Markdown.
    package var markdown: String {
        let rule = header.indices.map { $0 < words ? ":--" : "--:" }
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
                return column < words ? row[column] + padding : padding + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
