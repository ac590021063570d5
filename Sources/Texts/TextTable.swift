// SPDX-License-Identifier: Apache-2.0

/// A table of text, whose columns are words or figures.
///
/// Cells are made harmless for terminals and stay on one line. Markdown has to be escaped by the caller, as some cells
/// contain markup.
package struct TextTable: Sendable {
    package let header: [String]
    package let words: Range<Int>
    package var rows: [[String]] = []

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

    private var cells: [[String]] { ([header] + rows).map { $0.map(SafeText.forTerminal) } }

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

extension TextTable {
    /// A table without columns that say the same in every row, and what these columns say.
    package struct Condensed: Sendable {
        package let table: TextTable
        /// The columns left out with their value: `asset hero`, `n 5`.
        package let constants: [String]

        /// The constants as a line for the terminal; empty without any.
        package var caption: String {
            constants.isEmpty ? "" : "In every row: \(constants.joined(separator: ", ")).\n"
        }
    }

    /// Returns the table without its constant columns.
    ///
    /// Columns of words and `counts` that say the same in each row are named in the caption. Columns of absent figures
    /// are left out. Where all columns of words are constant, `subject` stays; without a subject every column does.
    /// - Parameters:
    ///   - exceptions: Rows whose words do not matter, as they are of another kind than the others.
    ///   - label: A word of these rows, which moves into the first column if its own is left out.
    package func condensed(
        subject: String, counts: Set<String> = [], absent: String = "–", exceptions: Set<Int> = [], label: String? = nil
    ) -> Condensed {
        guard !rows.isEmpty, !subject.isEmpty else { return Condensed(table: self, constants: []) }
        let named = words.lowerBound == 0 ? words : 0..<0
        let usual = rows.indices.filter { !exceptions.contains($0) }
        let values = header.indices.map { column in
            Set((named.contains(column) && !usual.isEmpty ? usual : Array(rows.indices)).map { rows[$0][column] })
        }
        var gone: Set<Int> = []
        for column in header.indices {
            if named.contains(column) || counts.contains(header[column]) {
                if values[column].count <= 1 { gone.insert(column) }
            } else if values[column] == [absent] {
                gone.insert(column)
            }
        }
        if named.allSatisfy({ gone.contains($0) }), let kept = header.firstIndex(of: subject) { gone.remove(kept) }
        let constants = gone.sorted().compactMap { column in
            values[column].first.flatMap { [absent, ""].contains($0) ? nil : "\(header[column]) \($0)" }
        }
        var table = keeping(header.indices.filter { !gone.contains($0) })
        if let label {
            for row in exceptions where !table.rows[row].contains(label) { table.rows[row][0] = label }
        }
        return Condensed(table: table, constants: constants)
    }

    /// Returns the table for a terminal in which no line is wider than `width`, as far as names allow it.
    ///
    /// A table that is too wide is grouped: the first columns of words stand above their rows; where that is not
    /// enough, the last figures stand in further tables.
    package func plain(width: Int) -> String {
        if Self.fits(plain, width) { return plain }
        guard words.lowerBound == 0, !words.isEmpty else { return plain }
        for depth in words.indices.map({ $0 + 1 }) {
            let text = grouped(by: depth, width: width)
            if Self.fits(text, width) { return text }
        }
        let figures = Array(header.indices.dropFirst(words.count))
        func first(_ count: Int) -> TextTable { keeping(Array(words) + figures.prefix(count)) }
        // As many figures as fit, so that there are as few tables as possible.
        let fitting = figures.indices.last { count in
            count > 0 && Self.fits(first(count).grouped(by: words.count, width: width), width)
        }
        guard figures.count > 1 else { return grouped(by: words.count, width: width) }
        let count = fitting ?? 1
        return first(count).plain(width: width) + "\n"
            + keeping(Array(words) + figures.dropFirst(count)).plain(width: width)
    }

    private static func fits(_ text: String, _ width: Int) -> Bool {
        text.split(separator: "\n").allSatisfy { $0.count <= width }
    }

    /// Returns the table with the first columns in a line above the rows for which they are the same.
    private func grouped(by depth: Int, width: Int) -> String {
        var lines = keeping(Array(header.indices.dropFirst(depth))).plain.split(
            separator: "\n", omittingEmptySubsequences: false
        ).makeIterator()
        var text = lines.next().map { "  \($0)\n" } ?? ""
        let names = rows.map { row in
            row.prefix(depth).filter { !$0.isEmpty }.map(SafeText.forTerminal).joined(separator: " · ")
        }
        var group: String?
        for name in names {
            if name != group { text += "• " + Prose.cut(name, to: width - 2, among: names) + "\n" }
            group = name
            text += lines.next().map { "  \($0)\n" } ?? ""
        }
        return text
    }

    private func keeping(_ columns: [Int]) -> TextTable {
        var table = TextTable(columns.map { header[$0] }, words: columns.count { words.contains($0) })
        table.rows = rows.map { row in columns.map { row[$0] } }
        return table
    }
}
