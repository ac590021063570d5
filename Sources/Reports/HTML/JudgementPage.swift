// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs
import Texts

/// Renders a judgement as an HTML page: red findings first; for a check also the whole run.
package struct JudgementHTMLRenderer: TextRenderer {
    package let name = "html"
    package let summary = "one page with pictures, for a browser"
    package let file = RunFolder.File?.some(.page)

    package init() {}

    package func text(of judgement: Judgement) throws(FetchBenchError) -> String {
        HTMLTemplate.text(of: try JudgementPage(judgement).page)
    }
}

struct JudgementPage: Sendable {
    private let judgement: Judgement
    private let tables: JudgementTables

    init(_ judgement: Judgement) {
        self.judgement = judgement
        tables = JudgementTables(judgement, escape: JudgementText.safe)
    }

    var page: HTMLPage {
        get throws(FetchBenchError) {
            HTMLPage(
                title: "\(JudgementText.safe(judgement.headName)) against \(JudgementText.safe(judgement.baseName))",
                lead: [JudgementConclusion(judgement).text], sections: try sections)
        }
    }

    private var sections: [HTMLSection] {
        get throws(FetchBenchError) {
            let red = findings("red", "Red") { $0.isRed }
            let open = findings("open", "Without an answer") { $0.isOpen }
            let improved = findings("improved", "Improved") { $0 == .improved }
            var sections = [red, open, improved].compactMap(\.self)
            sections += [ComparisonPictures(judgement).section, HistoryPictures(judgement).section, figures, warnings]
            if judgement.evidence?.run.kind.isPaired == true {
                sections.append(try HolderPictures(in: judgement.evidence?.folder).section)
            }
            sections.append(guide)
            if let evidence = judgement.evidence, !evidence.run.kind.isPaired {
                sections += try RunPage(try Report(evidence.run, in: evidence.folder)).sections.filter {
                    $0.identifier != "warnings" && $0.identifier != "reading"
                }
            }
            return sections
        }
    }

    private func findings(
        _ identifier: String, _ heading: String, where isMeant: (Finding.Verdict) -> Bool
    ) -> HTMLSection? {
        let found = judgement.findingsWorstFirst.filter { isMeant($0.verdict) }
        guard !found.isEmpty else { return nil }
        let items = found.map { finding in
            let line = FindingLine(finding, of: judgement.kind)
            return (finding.words(in: judgement.kind) + " —", line.text + (line.command.map { ". Again: " + $0 } ?? ""))
        }
        return HTMLSection(identifier, heading, items: items)
    }

    private var figures: HTMLSection {
        var section = HTMLSection("figures", "Every figure")
        section.tables = [
            HTMLTable(caption: "Budgets, in MiB", table: tables.budgetTable),
            HTMLTable(caption: "Comparisons: medians, in MiB", table: tables.comparisonTable()),
        ].filter { !$0.rows.isEmpty }
        if section.tables.isEmpty { section.paragraphs = ["Nothing was judged."] }
        return section
    }

    private var warnings: HTMLSection {
        var section = HTMLSection("doubts", "Warnings")
        section.items = judgement.warnings.map { ("", JudgementText.safe($0.textWithRemedy)) }
        if section.items.isEmpty { section.paragraphs = ["None."] }
        return section
    }

    private var guide: HTMLSection {
        var section = HTMLSection("judged", "How to read this")
        section.items = [
            (
                "judged are:",
                "net peak growth (over the mark that ends the warm-up, without program pages), anonymous peak growth, and "
                    + "anonymous memory at the mark (the cost of start and warm-up)."
            ),
            ("change:", "head less base (Hodges–Lehmann), with its 99 % bootstrap interval."),
            ("limit:", "the smallest change that counts; for a budget, its limit."),
            ("p:", "the permutation test of Mann and Whitney, corrected by Holm for everything that was looked at."),
            (
                "detectable:",
                "the smallest change that trials of this number and noise show in nine of ten cases. Where it is larger than "
                    + "the limit, or where a change reaches the limit and may be chance, the verdict is inconclusive."
            ),
            ("n:", "trials on either side, each in a fresh process; for a confirmed finding, the fresh ones alone."),
        ]
        return section
    }
}
