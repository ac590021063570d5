// SPDX-License-Identifier: Apache-2.0

import Texts

/// Writes a document for a terminal: the answer first, no line wider than the terminal except for names and commands.
///
/// A line that begins with `::` is escaped, because GitHub executes such lines of a job's log.
package struct TerminalWriter {
    private let width: Int

    package init(width: Int = Prose.width) { self.width = width }

    package func text(of document: Document) -> String {
        let verdict = document.verdict.map { $0.text + ": " } ?? ""
        let lead = document.answer.enumerated().map { ($0.offset == 0 ? verdict : "") + $0.element }
        let guide = document.topic.map { ["How to read this: fetchbench help \($0)\n"] } ?? []
        let parts = [lines(lead)] + document.sections.filter { !$0.isEmpty }.map(text) + guide
        return SafeText.withoutCommands(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    func text(of section: DocumentSection) -> String {
        let tables = section.tables.filter { !$0.rows.isEmpty }.map { $0.condensed { SafeText.forTerminal($0.text) } }
        let captions = tables.map { lines($0.caption.isEmpty ? [] : [String($0.caption.dropLast())]) }
        // A blank line separates a single table from its notes; several tables have their captions directly below.
        let isSingle = tables.count == 1
        let drawn = zip(tables, captions).map { $0.table.plain(width: width) + (isSingle ? "" : $1) }
        let notes = (isSingle ? captions[0] : "") + lines(section.legend)
        let items = section.items.map { item in
            lines([item.term.isEmpty ? item.text : "\(item.term): \(item.text)"])
                // A command is pasted, so its line is not broken.
                + (item.command.map { "  reproduce: \(SafeText.forTerminal($0))\n" } ?? "")
        }
        let blocks = [
            section.isUntitled ? "" : lines([section.heading + (section.heading.hasSuffix("?") ? "" : ":")]),
            lines(section.paragraphs),
            drawn.joined(separator: "\n"), isSingle ? notes : "",
        ].filter { !$0.isEmpty }.joined(separator: "\n")
        return blocks + (isSingle ? "" : notes) + items.joined()
            + (section.command.map { SafeText.forTerminal($0) + "\n" } ?? "")
    }

    private func lines(_ texts: [String]) -> String {
        texts.map { Prose.wrapped(SafeText.forTerminal($0), width: width, indent: 2) + "\n" }.joined()
    }
}

package struct MarkdownWriter {
    /// 1 for a file of its own; 2 for a comment, which begins with the answer instead of the title.
    private let level: Int

    package init(level: Int = 1) { self.level = level }

    package func text(of document: Document) -> String {
        let mark = String(repeating: "#", count: level)
        let verdict = document.verdict.map { $0.text + ": " } ?? ""
        let answer = document.answer.map(SafeText.forMarkdown)
        let lead =
            level == 1
            ? [
                "\(mark) \(SafeText.forMarkdown(document.title))\n",
                document.subtitle.isEmpty ? "" : SafeText.forMarkdown(document.subtitle) + "\n",
            ]
                + answer.enumerated().map {
                    ($0.offset == 0 && !verdict.isEmpty ? "**\(verdict)**" : "") + $0.element + "\n"
                }
            : ["\(mark) \(verdict)\(answer.joined(separator: " "))\n"]
        let sections = document.sections.filter { !$0.isEmpty }.map {
            "\(mark)# \(SafeText.forMarkdown($0.heading))\n\n" + text(of: $0)
        }
        return (lead + sections).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Returns a cell with its links to the web; rows have anchors only in pages.
    package static func text(of cell: DocumentTable.Cell) -> String {
        cell.parts.map { part in
            let text = SafeText.forMarkdown(part.text)
            guard let link = part.link, !link.hasPrefix("#") else { return text }
            // A bracket would end the address.
            return "[\(text)](\(link.replacing("(", with: "%28").replacing(")", with: "%29")))"
        }.joined()
    }

    private func text(of section: DocumentSection) -> String {
        let tables = section.tables.filter { !$0.rows.isEmpty }.map { table in
            let condensed = table.condensed(Self.text)
            let caption = [
                section.tables.count > 1 ? SafeText.forMarkdown(table.caption) + "." : "",
                String(condensed.caption.dropLast()),
            ]
            let words = caption.filter { !$0.isEmpty }.joined(separator: " ")
            return (words.isEmpty ? "" : words + "\n\n") + condensed.table.markdown
        }
        let items = section.items.map { item in
            "- \(item.term.isEmpty ? "" : "**\(SafeText.forMarkdown(item.term))**: ")\(SafeText.forMarkdown(item.text))\n"
                // An indented block: code, whatever is in it.
                + (item.command.map { "\n      \(SafeText.forTerminal($0))\n\n" } ?? "")
        }
        let parts =
            section.paragraphs.map { SafeText.forMarkdown($0) + "\n" } + tables
            + (section.legend.isEmpty ? [] : [section.legend.map { SafeText.forMarkdown($0) + "\n" }.joined()])
            + (items.isEmpty ? [] : [items.joined()])
            + (section.command.map { ["    \(SafeText.forTerminal($0))\n"] } ?? [])
        return parts.joined(separator: "\n")
    }
}
