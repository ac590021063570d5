// SPDX-License-Identifier: Apache-2.0

import Judging
import Texts

/// Renders what commands hold for a terminal and as Markdown.
struct CommandsTextRenderer {
    private let report: CommandReport
    private let remarks: CommandsRemarks

    init(_ report: CommandReport) {
        self.report = report
        remarks = CommandsRemarks(report)
    }

    var plain: String {
        let tables = tables { SafeText.forTerminal($0) }.map {
            let table = $0.condensed(subject: "command", counts: CommandsTables.counts)
            return table.table.plain(width: Prose.width) + Prose.wrapped(table.caption)
        }
        let notes = remarks.findings.map { "\($0.word): \($0.text)" } + remarks.briefLegend
        return tables.joined(separator: "\n") + "\n"
            + notes.map { Prose.wrapped(SafeText.forTerminal($0), indent: 2) + "\n" }.joined()
    }

    var markdown: String {
        let notes = remarks.findings.map { "**\($0.word)**: \(SafeText.forMarkdown($0.text))" }
        let words = notes + remarks.legend.map(SafeText.forMarkdown)
        return "## Memory of commands\n\n" + tables { SafeText.asCode($0) }.map(\.markdown).joined(separator: "\n")
            + words.map { "\n\($0)\n" }.joined()
    }

    private func tables(_ safe: @escaping @Sendable (String) -> String) -> [TextTable] {
        let tables = CommandsTables(report, safe: safe)
        return [tables.peaks] + [tables.processes, tables.comparisons].filter { !$0.rows.isEmpty }
    }
}
