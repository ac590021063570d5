// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs
import Texts
import TrialKit

/// Renders a judgement for a terminal: the conclusion, the tables, all findings except *unchanged* in full.
///
/// A line that begins with `::` is escaped, because GitHub executes such lines of a job's log.
package struct JudgementTerminalRenderer: TextRenderer {
    package let name = "table"
    package let summary = "the conclusion, the tables, every finding that moved in full"

    private let width: Int

    /// Takes the width above which tables name each case in a separate line.
    package init(width: Int = Prose.width) {
        self.width = width
    }

    package func text(of judgement: Judgement) -> String {
        let tables = JudgementTables(judgement) { JudgementText.safe($0) }
        let drawn = [tables.budgetTable, tables.comparisonTable(withDetectable: false)].filter { !$0.rows.isEmpty }
        let words = [
            wrapped(JudgementConclusion(judgement).text) + "\n",
            drawn.map { table in
                let condensed = table.condensed(subject: "case", counts: ["n"])
                return condensed.table.plain(width: width) + wrapped(condensed.caption)
            }.joined(separator: "\n"),
            (drawn.isEmpty ? "" : legend(of: judgement)), inFull(judgement), warnings(of: judgement),
            drawn.isEmpty ? "" : TerminalRenderer.guide,
        ]
        // A case can begin a line, and a line can be broken anywhere.
        return SafeText.withoutCommands(words.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    private func wrapped(_ text: String) -> String { Prose.wrapped(text, width: width, indent: 2) }

    private func legend(of judgement: Judgement) -> String {
        let findings = judgement.findingsWorstFirst
        var lines = ["Medians, sizes in MiB."]
        if findings.contains(where: { $0.interval != nil }) {
            lines[0] += " change: head − base (Hodges–Lehmann) with its 99 % interval."
        }
        let smallest = findings.filter { $0.part != .scenario && $0.unit == .bytes }.compactMap(
            \.smallestDetectableChange)
        if let low = smallest.min(), let high = smallest.max() {
            let range =
                low == high ? JudgementText.share(high) : "\(JudgementText.share(low)) to \(JudgementText.share(high))"
            lines.append("Smallest detectable change: \(range) of the base's net peak.")
        }
        return lines.map { wrapped($0) + "\n" }.joined()
    }

    private func inFull(_ judgement: Judgement) -> String {
        judgement.findingsWorstFirst.filter { $0.verdict != .unchanged }.map { finding in
            let line = FindingLine(finding, of: judgement.kind)
            // A command is pasted, so its line is not broken.
            return wrapped(line.textWithVerdict) + "\n" + (line.command.map { "  reproduce: \($0)\n" } ?? "")
        }.joined()
    }

    private func warnings(of judgement: Judgement) -> String {
        judgement.warnings.map { warning in
            wrapped("warning: \(JudgementText.safe(warning.textWithRemedy))") + "\n"
        }.joined()
    }
}
