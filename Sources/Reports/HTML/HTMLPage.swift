// SPDX-License-Identifier: Apache-2.0

import Charts
import Texts

/// The content of a page; the template escapes its texts.
package struct HTMLPage: Sendable {
    var title: String
    /// The first paragraphs.
    var lead: [String]
    var sections: [HTMLSection]
    /// True for a page of tables that need the whole width of the window.
    var isWide = false

    package init(title: String, lead: [String], sections: [HTMLSection], isWide: Bool = false) {
        self.title = title
        self.lead = lead
        self.sections = sections
        self.isWide = isWide
    }

    /// The self-contained page, which loads nothing.
    package var text: String { HTMLTemplate.text(of: self) }
}

/// A section of a page; its parts appear in the order of the properties.
package struct HTMLSection: Sendable {
    /// The anchor of links.
    let identifier: String
    let heading: String
    var paragraphs: [String] = []
    var figures: [HTMLFigure] = []
    var tables: [HTMLTable] = []
    /// The entries of a list; terms may be empty.
    var items: [(term: String, text: String)] = []
    var command: String?

    package init(
        _ identifier: String, _ heading: String, paragraphs: [String] = [], tables: [HTMLTable] = [],
        items: [(term: String, text: String)] = []
    ) {
        self.identifier = identifier
        self.heading = heading
        self.paragraphs = paragraphs
        self.tables = tables
        self.items = items
    }
}

struct HTMLFigure: Sendable {
    let picture: Picture
    /// The text below the picture; may be empty.
    var caption = ""
    /// True for timelines, which can be zoomed.
    var isTimeline = false
}

extension HTMLPage {
    var context: [String: Any] {
        [
            "title": title, "lead": lead, "sections": sections.map(\.context), "style": HTMLStyle.text,
            "script": HTMLScript.text, "scriptHash": HTMLScript.hash, "width": isWide ? ["wide"] : [],
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
