// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation
import Hashing
import Mustache
import Texts

/// Writes a document as a self-contained page, which loads nothing.
///
/// The template escapes all texts but pictures, which escape their own, the style and the script.
package enum PageWriter {
    package static func text(of document: Document) -> String { template.render(document.context) }

    private static let template: MustacheTemplate = {
        MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
        do {
            return try MustacheTemplate(string: String(decoding: PackageResources.page_mustache, as: UTF8.self))
        } catch {
            preconditionFailure("the template of pages has a mistake: \(error)")
        }
    }()

    fileprivate static let style = ChartStyle.css + String(decoding: PackageResources.page_css, as: UTF8.self)
    fileprivate static let script = String(decoding: PackageResources.page_js, as: UTF8.self)
    fileprivate static let scriptHash =
        "sha256-" + Data(PackageResources.page_js.withUnsafeBytes { SHA256.digest(of: $0) }).base64EncodedString()

    /// Escaping by scalars, because a quotation mark with a combining mark is one character and still ends an attribute.
    private struct ScalarEscaping: MustacheContentType {
        static let name = "SCALARS"

        func escapeText(_ text: String) -> String {
            ChartText.escaped(SafeText.withBytesShown(SafeText.forTerminal(text)))
        }
    }
}

extension Document {
    fileprivate var context: [String: Any] {
        [
            "title": title, "subtitle": subtitle.isEmpty ? [] : [subtitle],
            "answer": answer.enumerated().map { index, text -> [String: Any] in
                let shown = index == 0 ? verdict.map { [["text": $0.text, "kind": $0.kind.rawValue]] } : nil
                return ["text": text, "verdict": shown ?? []]
            },
            "sections": sections.filter { !$0.isEmpty }.map(\.context), "style": PageWriter.style,
            "script": PageWriter.script, "scriptHash": PageWriter.scriptHash, "width": isWide ? ["wide"] : [],
        ]
    }
}

extension DocumentSection {
    fileprivate var context: [String: Any] {
        [
            "identifier": identifier, "heading": heading, "folded": isFolded, "paragraphs": paragraphs,
            "hasFigures": !figures.isEmpty, "timelines": figures.contains(where: \.isTimeline),
            "figures": figures.map { figure -> [String: Any] in
                let caption = figure.caption.isEmpty ? [] : [figure.caption]
                return ["name": figure.picture.title, "svg": figure.picture.element, "caption": caption]
            },
            "tables": tables.filter { !$0.rows.isEmpty }.map(\.forPage.context), "legend": legend,
            "hasItems": !items.isEmpty,
            "items": items.map { item -> [String: Any] in
                let term = item.term.isEmpty ? [] : [item.term]
                return ["term": term, "text": item.text, "again": item.command.map { [$0] } ?? []]
            },
            "command": command.map { [$0] } ?? [],
        ]
    }
}

extension DocumentTable {
    fileprivate var context: [String: Any] {
        let heads = header.indices.map { column in
            let kind = words.contains(column) ? "word" : "number"
            return ["text": header[column], "kind": kind + (choices.contains(column) ? " choice" : "")]
        }
        let rows = rows.map { row -> [String: Any] in
            let cells = row.cells.enumerated().map { column, cell -> [String: Any] in
                let parts = cell.parts.map { ["text": $0.text, "link": $0.link.map { [$0] } ?? []] as [String: Any] }
                return ["parts": parts, "kind": words.contains(column) ? ["word"] : []]
            }
            return ["identifier": row.identifier.map { [$0] } ?? [], "cells": cells]
        }
        return ["caption": caption, "header": heads, "rows": rows]
    }
}
