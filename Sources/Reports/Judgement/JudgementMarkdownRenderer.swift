// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs
import Texts

/// Renders a judgement as Markdown for the summary of a CI job: the conclusion, red findings, then everything.
package struct JudgementMarkdownRenderer: TextRenderer {
    package let name = "markdown"
    package let summary = "the same for a comment or a job summary"
    package let file = RunFolder.File?.some(.judgementReport)

    package init() {}

    package func text(of judgement: Judgement) -> String {
        let tables = JudgementTables(judgement) { SafeText.forMarkdown(JudgementText.safe($0)) }
        let conclusion = JudgementConclusion(judgement)
        let sections = [
            "## \(SafeText.forMarkdown(conclusion.text))\n",
            findings("Red", judgement) { $0.isRed },
            findings("Without an answer", judgement) { $0.isOpen },
            findings("Improved", judgement) { $0 == .improved },
            section("Budgets\n\nSizes in MiB.", tables.budgetTable),
            section("Comparisons\n\nMedians; sizes in MiB.", tables.comparisonTable()), warnings(of: judgement),
            ReadersGuide(judgement).text,
        ]
        return sections.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func findings(_ title: String, _ judgement: Judgement, where isMeant: (Finding.Verdict) -> Bool) -> String {
        let paragraphs = judgement.findingsWorstFirst.filter { isMeant($0.verdict) }.map { finding in
            let line = FindingLine(finding, of: judgement.kind)
            let paragraph = "**\(finding.words(in: judgement.kind))** — \(SafeText.forMarkdown(line.text))\n"
            return paragraph + (line.command.map { "\n    \($0)\n" } ?? "")
        }
        return paragraphs.isEmpty ? "" : "### \(title)\n\n" + paragraphs.joined(separator: "\n")
    }

    private func section(_ heading: String, _ table: TextTable) -> String {
        table.rows.isEmpty ? "" : "### \(heading)\n\n" + table.markdown
    }

    private func warnings(of judgement: Judgement) -> String {
        let lines = judgement.warnings.map { warning in
            let remedy = warning.remedy.map { " — *\(SafeText.forMarkdown(JudgementText.safe($0)))*" }
            return "- \(SafeText.forMarkdown(JudgementText.safe(warning.text)))\(remedy ?? "")\n"
        }
        return lines.isEmpty ? "" : "### Warnings\n\n" + lines.joined()
    }
}
