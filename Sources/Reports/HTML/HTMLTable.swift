// SPDX-License-Identifier: Apache-2.0

package import Texts

/// A table of a page; the script sorts and filters its rows.
package struct HTMLTable: Sendable {
    let caption: String
    let header: [String]
    /// The columns of words; the others are figures.
    let words: Range<Int>
    let rows: [HTMLRow]
    /// The columns whose values the reader chooses from to filter rows.
    var choices: Set<Int> = []

    package init(caption: String, table: TextTable) {
        self.caption = caption
        header = table.header
        words = table.words
        rows = table.rows.map { row in HTMLRow(row.map { HTMLCell($0) }) }
    }

    /// Creates a table of words.
    package init(caption: String, header: [String], rows: [HTMLRow], choices: Set<Int>) {
        self.caption = caption
        self.header = header
        self.rows = rows
        self.choices = choices
        words = header.indices
    }
}

/// A row of a table.
package struct HTMLRow: Sendable {
    let cells: [HTMLCell]
    /// The anchor of links to it, or `nil`.
    let identifier: String?

    package init(_ cells: [HTMLCell], identifier: String? = nil) {
        self.cells = cells
        self.identifier = identifier
    }
}

/// A cell of a table: texts, some of which are links.
package struct HTMLCell: Sendable {
    fileprivate let parts: [(text: String, link: String?)]

    /// Creates a cell, whose link is left out unless it leads to a page of the web or within this one.
    package init(_ text: String, link: String? = nil) {
        parts = [(text, link.flatMap { Self.isSafe($0) ? $0 : nil })]
    }

    private init(parts: [(text: String, link: String?)]) { self.parts = parts }

    private static func isSafe(_ link: String) -> Bool { link.hasPrefix("https://") || link.hasPrefix("#") }

    package static func + (first: HTMLCell, second: HTMLCell) -> HTMLCell {
        HTMLCell(parts: first.parts + second.parts)
    }
}

extension HTMLTable {
    var context: [String: Any] {
        let kinds = header.indices.map { words.contains($0) ? "word" : "number" }
        let heads = header.indices.map { column in
            ["text": header[column], "kind": kinds[column] + (choices.contains(column) ? " choice" : "")]
        }
        let rows = rows.map { row -> [String: Any] in
            [
                "identifier": row.identifier.map { [$0] } ?? [],
                "cells": zip(row.cells, kinds).map { ["parts": $0.context, "kind": $1] as [String: Any] },
            ]
        }
        return ["caption": caption, "header": heads, "rows": rows]
    }
}

extension HTMLCell {
    fileprivate var context: [[String: Any]] {
        parts.map { ["text": $0.text, "link": $0.link.map { [$0] } ?? []] }
    }
}
