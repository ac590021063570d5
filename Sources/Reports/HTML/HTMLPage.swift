// SPDX-License-Identifier: Apache-2.0

import Charts
import OperatingSystem
import Texts

/// What a page shows, as values: what becomes text of it is escaped by the template.
struct HTMLPage: Sendable {
    /// What it is called.
    var title: String
    /// What stands first, a paragraph each.
    var lead: [String]
    /// The sections, in their order.
    var sections: [HTMLSection]
}

/// A part of a page.
struct HTMLSection: Sendable {
    /// The word in links to it.
    let identifier: String
    /// What it is called.
    let heading: String
    /// What stands before its pictures, a paragraph each.
    var paragraphs: [String] = []
    /// Its pictures.
    var figures: [HTMLFigure] = []
    /// Its tables.
    var tables: [HTMLTable] = []
    /// A list, each entry with what it is about; that may be empty.
    var items: [(term: String, text: String)] = []
    /// What is typed in a shell.
    var command: String?

    init(_ identifier: String, _ heading: String) {
        self.identifier = identifier
        self.heading = heading
    }
}

/// A picture with the words below it.
struct HTMLFigure: Sendable {
    let picture: Picture
    /// What only this picture needs to be said; empty where its section says it all.
    var caption = ""
    /// What is shown in time, which a reader can zoom.
    var isTimeline = false
}

/// A table with what it is called.
struct HTMLTable: Sendable {
    let caption: String
    let table: TextTable
}

extension HTMLPage {
    /// The page as what the template takes.
    var context: [String: Any] {
        [
            "title": title, "lead": lead, "sections": sections.map(\.context), "style": HTMLStyle.text,
            "script": HTMLScript.text, "scriptHash": HTMLScript.hash,
        ]
    }
}

extension HTMLSection {
    fileprivate var context: [String: Any] {
        [
            "identifier": identifier, "heading": heading, "paragraphs": paragraphs,
            "figures": figures.map(\.context), "tables": tables.map(\.context),
            "hasItems": !items.isEmpty, "items": items.map { ["term": $0.term, "text": $0.text] },
            "command": command.map { [$0] } ?? [],
        ]
    }
}

extension HTMLFigure {
    fileprivate var context: [String: Any] {
        [
            "kind": isTimeline ? "zoomable" : "still", "name": picture.title, "svg": picture.element,
            "caption": caption.isEmpty ? [] : [caption],
        ]
    }
}

extension HTMLTable {
    fileprivate var context: [String: Any] {
        let kinds = table.header.indices.map { table.words.contains($0) ? "word" : "number" }
        let cells = { (row: [String]) in zip(row, kinds).map { ["text": $0, "kind": $1] } }
        return ["caption": caption, "header": cells(table.header), "rows": table.rows.map { ["cells": cells($0)] }]
    }
}
