// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Texts
import TrialKit

/// Renders a run as Markdown: the answer first, then the short tables, then everything.
package struct MarkdownRenderer: TextRenderer {
    package let name = "markdown"
    package let summary = "the answer first, then the tables and warnings"
    package let file = RunFolder.File?.some(.report)

    package init() {}

    package func text(of report: Report) -> String {
        let tables = ReportTables(report)
        let commands = CommandReport(report).map { CommandsTextRenderer($0).markdown } ?? ""
        let fetches = [
            answer(of: report), shortTables(tables, report), ScenarioTables(report).markdown, slopes(tables),
            full(tables, report),
        ]
        let hasFetches = report.run.plan.fetches
        let sections =
            [title(of: report)] + (hasFetches ? fetches : []) + [
                commands,
                AllocatorSection(report.allocatorCurves, escape: SafeText.forMarkdown)?.markdown ?? "",
                doubts(of: report), EnvironmentSection(report.run).text, reproduction(of: report.run),
            ] + (hasFetches ? [reading] : [])
        return sections.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func title(of report: Report) -> String {
        let state =
            report.run.finishedAt == nil ? "\n**This run was interrupted; its results so far are below.**\n" : ""
        return
            "# \(SafeText.forMarkdown(report.run.suite ?? "fetchbench run")) · \(SafeText.forMarkdown(report.run.identifier))\n\n\(Headline(report).text)\n\(state)"
    }

    private func answer(of report: Report) -> String {
        guard let answer = report.downloadAnswer.map({ DownloadAnswerText($0) }) else { return "" }
        return answer.table.markdown + "\n" + answer.note
    }

    private func shortTables(_ tables: ReportTables, _ report: Report) -> String {
        let parts = tables.short.map(\.markdown)
        guard !parts.isEmpty, let asset = report.leadingAsset else { return "" }
        let allocator = report.leadingAllocator?.rawValue ?? ""
        let words = report.leadingConditions.words
        let conditions = SafeText.forMarkdown(words.map { ", " + $0 }.joined())
        let base =
            report.leadingConditions.start == .warm
            ? "the warmed-up process" : "the process before its client is made"
        return
            "## \(SafeText.forMarkdown(asset.name)) on \(allocator)\(conditions): peak growth over \(base)\n\n"
            + parts.joined(separator: "\n")
    }

    private func slopes(_ tables: ReportTables) -> String {
        guard let table = tables.slopes else { return "" }
        return """
            ## Memory by size

            Peak growth = a + k · size, by the Theil–Sen estimator over the completed trials, with its 95 % interval. A slope
            with an interval within \(ByteText.fixed(SizeSweep.tolerance, places: 1)) of a whole number is that many copies.

            \(table.markdown)
            """
    }

    private func full(_ tables: ReportTables, _ report: Report) -> String {
        """
        ## Every case

        Medians over the completed trials. Sizes in MiB; growth counts from the mark that ends the warm-up, if any.
        \(ConditionNotes(report.run.plan).text)\(PictureNotes(report).markdown)
        \(tables.memory.markdown)
        CPU and wall time in milliseconds. Fetch CPU holds the hashing of modes that hash on the way (the streams and raw)
        and, with at-once, of models that drop a body in memory (thumbnail): subtract verify CPU.
        On a shared machine wall time is noise; a paced origin sets the fetch's.\(report.cases.timeLegend)

        \(tables.time.markdown)
        The allocator's own account at the end of each phase, in MiB, as it counts (not growth).

        \(tables.allocators.markdown)
        """
    }

    private func doubts(of report: Report) -> String {
        let warnings = report.run.warnings.map { warning in
            "- " + SafeText.forMarkdown(warning.text)
                + (warning.remedy.map { " — *\(SafeText.forMarkdown($0))*" } ?? "")
        }
        let skipped = InapplicableGroup.all(in: report.run.plan).map { group in
            "- not applicable: \(group.cells.map { SafeText.asCode($0.identifier) }.joined(separator: ", ")) — "
                + SafeText.forMarkdown(group.reason)
        }
        let lines = warnings + skipped
        return "## Warnings\n\n" + (lines.isEmpty ? "None.\n" : lines.joined(separator: "\n") + "\n")
    }

    private func reproduction(of run: RunRecord) -> String {
        let commit = run.environment.commit.map { " at commit \(SafeText.asCode($0))" } ?? ""
        let changed = run.environment.hasUncommittedChanges == true ? ", with changes that were not committed" : ""
        return """
            ## How to reproduce

            \(SafeText.forMarkdown(run.tool))\(commit)\(changed), on the machine above:

                \(SafeText.forTerminal(run.reproduce))

            """
    }

    private var reading: String {
        """
        ## How to read this

        - **peak growth**: the kernel's high-water mark of the resident size (`VmHWM`, reset at each mark) in fetch, hold
          and render, or an exact reading above it, minus the resident size at the mark before them, after the warm-up.
        - **CV of the peak**: of the process's whole resident size at its peak, standard deviation ÷ mean.
        - **anonymous**: the part not backed by a file. File-backed pages are resident too, but the kernel can drop
          them. The kernel has no high-water mark of it: it is the largest sample taken from outside, or more if the
          peak proves more (peak − pages of files at the end, where those only grew).
        - **whole peak**: the process's resident size at its peak (of a command, its growth). **Of it program
          pages**: resident pages of the program, its libraries and the loader. They follow the page cache: the same bytes
          in another file show megabytes more or less. So no check judges the whole peak.
        - **copies held (k)**: peak growth ÷ asset size; with rendering, those **besides the bitmap**: (anonymous
          memory when the picture is shown − bitmap) ÷ asset size. The k of budgets and the column `copies_held_ratio` are
          always the former.
        - **retained**: resident memory left after everything was released and the process settled; **after purge**: the
          same after the allocator was asked to return everything.
        - **page cache**: cached pages of the fetched file; the kernel can drop them, so they are not in a process's peak.
        - A **command** is measured whole, from exec to exit, including its children.
        - The row with mode `none` does not fetch: it shows the baseline of the method itself.

        """
    }
}
