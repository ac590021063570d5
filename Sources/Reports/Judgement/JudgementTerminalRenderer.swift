// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs
import Texts

/// Renders a judgement for a terminal: tables, all findings except *unchanged* in full, and the conclusion last.
///
/// No line begins with text from outside, because GitHub executes lines of a job's log that begin with `::`.
package struct JudgementTerminalRenderer: TextRenderer {
    package let name = "table"
    package let summary = "tables, every finding that moved in full, the conclusion"

    private let width: Int

    /// Takes the width above which tables name each case in a separate line.
    package init(width: Int = 120) {
        self.width = width
    }

    package func text(of judgement: Judgement) -> String {
        let tables = JudgementTables(judgement) { JudgementText.safe($0) }
        let drawn = [
            table(JudgementTables.budgetHeader, tables.budgets),
            table(JudgementTables.comparisonHeader, tables.comparisons),
        ].compactMap(\.self)
        let conclusion = JudgementConclusion(judgement)
        let words = [
            drawn.isEmpty ? "" : legend(of: judgement), inFull(judgement), warnings(of: judgement),
            conclusion.text + "\n",
        ]
        return (drawn + words).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func table(_ header: [String], _ rows: [[String]]) -> String? {
        guard !rows.isEmpty else { return nil }
        var table = TextTable(header, words: 3)
        table.rows = rows
        let flat = table.plain
        let isNarrow = flat.split(separator: "\n").allSatisfy { $0.count <= width }
        return isNarrow ? flat : grouped(header, rows)
    }

    /// Returns the table with each case above its rows, the case with the worst finding first.
    private func grouped(_ header: [String], _ rows: [[String]]) -> String {
        func withoutCase(_ cells: [String]) -> [String] { [cells[0]] + cells[2...] }
        var table = TextTable(withoutCase(header), words: 2)
        let groups = rows.grouped { $0[1] }
        table.rows = groups.flatMap(\.elements).map(withoutCase)
        var lines = table.plain.split(separator: "\n").makeIterator()
        var text = lines.next().map { "  \($0)\n" } ?? ""
        for group in groups {
            text += "• \(group.key)\n"
            for _ in group.elements { text += lines.next().map { "  \($0)\n" } ?? "" }
        }
        return text
    }

    private func legend(of judgement: Judgement) -> String {
        let smallest = judgement.findingsWorstFirst.filter { $0.part != .scenario }.compactMap(
            \.smallestDetectableChange)
        var legend = "Sizes in MiB, medians; change: Hodges–Lehmann with its 99 % bootstrap interval.\n"
        if let low = smallest.min(), let high = smallest.max() {
            legend += "Smallest detectable change: \(JudgementText.share(low)) in the quietest case, "
            legend += "\(JudgementText.share(high)) in the noisiest.\n"
        }
        return legend
    }

    private func inFull(_ judgement: Judgement) -> String {
        judgement.findingsWorstFirst.filter { $0.verdict != .unchanged }.map { finding in
            let line = FindingLine(finding, of: judgement.kind)
            return line.textWithVerdict + "\n" + (line.command.map { "  reproduce: \($0)\n" } ?? "")
        }.joined()
    }

    private func warnings(of judgement: Judgement) -> String {
        judgement.warnings.map { warning in
            "warning: \(JudgementText.safe(warning.textWithRemedy))\n"
        }.joined()
    }
}
