// SPDX-License-Identifier: Apache-2.0

import Texts

/// Writes a document as Markdown.
struct MarkdownWriter {
    /// 1 for a file of its own; 2 for a comment, which begins with the answer instead of the title.
    var level = 1

    func text(of document: Document) -> String {
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

    private func text(of section: DocumentSection) -> String {
        let tables = section.tables.filter { !$0.rows.isEmpty }.map { table in
            let condensed = table.condensed(escape: SafeText.forMarkdown)
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
