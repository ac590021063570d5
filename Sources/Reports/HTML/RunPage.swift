// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Texts
import TrialKit

/// Renders a run as an HTML page: the answer first, then the pictures, then every table.
package struct HTMLRenderer: TextRenderer {
    package let name = "html"
    package let summary = "one page with pictures, for a browser, that asks for nothing from elsewhere"
    package let file = RunFolder.File?.some(.page)

    package init() {}

    package func text(of report: Report) throws(FetchBenchError) -> String {
        HTMLTemplate.text(of: try RunPage(report).page)
    }
}

struct RunPage: Sendable {
    private let report: Report

    init(_ report: Report) {
        self.report = report
    }

    var page: HTMLPage {
        get throws(FetchBenchError) {
            HTMLPage(title: title, lead: lead, sections: try sections)
        }
    }

    /// The sections alone, for embedding in another page.
    var sections: [HTMLSection] {
        get throws(FetchBenchError) {
            let commands = CommandReport(report).map { CommandsPage($0).sections } ?? []
            let fetches = report.run.plan.fetches
            let pictures =
                (fetches ? [AnswerPicture(report).section] : []) + [try TimelinePictures(report).section]
                + [AllocatorSection(report.allocatorCurves)?.section]
                + (fetches ? [SpreadPictures(report).section, SlopePictures(report).section] : [])
                + [try HolderPictures(in: report.folder).section]
            return commands + pictures.compactMap(\.self) + scenarios + (fetches ? [cases] : [])
                + [trials, warnings, environment, reproduction] + (fetches ? [RunPageGuide.section] : [])
        }
    }

    private var title: String {
        SafeText.forTerminal((report.run.suite ?? "fetchbench run") + " · " + report.run.identifier)
    }

    private var lead: [String] {
        let state = report.run.finishedAt == nil ? ["This run was interrupted; its results so far are below."] : []
        return [Headline(report, escape: SafeText.forTerminal).text] + state
    }

    private var scenarios: [HTMLSection] {
        let tables = ScenarioTables(report, escape: SafeText.forTerminal)
        return tables.entries.map { entry in
            let caption = SafeText.forTerminal("Medians of scenario \(entry.scenario.name)")
            return HTMLSection(
                "scenario-" + entry.scenario.name, tables.heading(of: entry),
                paragraphs: tables.legendParagraphs(of: entry),
                tables: [HTMLTable(caption: caption, table: entry.table)],
                items: entry.notes.lines.map { ("", SafeText.forTerminal($0)) })
        }
    }

    private var cases: HTMLSection {
        let tables = ReportTables(report, escape: SafeText.forTerminal)
        var section = HTMLSection("cases", "Every case")
        section.paragraphs = ["Medians over the completed trials."]
        let notes = (ConditionNotes(report.run.plan).text + PictureNotes(report).text).split(separator: "\n")
        section.paragraphs += notes.map { SafeText.forTerminal(String($0)) }
        section.tables = [
            HTMLTable(
                caption: "Memory, in MiB; growth counts from the mark that ends the warm-up", table: tables.memory),
            HTMLTable(caption: "CPU and wall time, in milliseconds.\(report.cases.timeLegend)", table: tables.time),
            HTMLTable(
                caption: "The allocator's own account at the end of each phase, in MiB", table: tables.allocators),
        ]
        return section
    }

    /// More trials would make the page heavy; they are in `trials.csv`.
    private static let mostTrials = 400

    private var trials: HTMLSection {
        var section = HTMLSection("trials", "Every trial")
        guard report.run.trials.count <= Self.mostTrials else {
            section.paragraphs = ["\(report.run.trials.count) trials are too many for a page; they are in trials.csv."]
            return section
        }
        // A plain command begins with nothing: its growth is its whole peak, and its only phase is the run.
        let figures: [(heading: String, text: (Trial) -> String)] =
            report.run.plan.fetches
            ? [
                ("peak growth", { FigureText.growth(Metric.peakResidentGrowth.value($0)) }),
                ("anonymous", { FigureText.growth(Metric.peakAnonymousGrowth.value($0)) }),
                ("whole peak", { FigureText.size(Metric.peakResident.value($0)) }),
                ("fetch ms", { $0.timeMark + FigureText.milliseconds(Metric.duration(of: .fetch).value($0)) }),
            ]
            : [
                ("peak", { FigureText.size(Metric.peakResident.value($0)) }),
                ("anonymous", { FigureText.size(Metric.peakAnonymousGrowth.value($0)) }),
                ("time ms", { $0.timeMark + FigureText.milliseconds(Metric.duration(of: .fetch).value($0)) }),
            ]
        var table = TextTable(["case", "trial", "outcome"] + figures.map(\.heading), words: 1)
        table.rows = report.run.trials.map { trial in
            [
                SafeText.forTerminal(trial.cell.identifier), "\(trial.number)",
                SafeText.forTerminal(
                    trial.outcome.kind.rawValue + (trial.outcome.detail.isEmpty ? "" : ": " + trial.outcome.detail)),
            ] + figures.map { $0.text(trial) }
        }
        section.tables = [
            HTMLTable(caption: "Each trial in the order in which it was done; sizes in MiB", table: table)
        ]
        return section
    }

    private var warnings: HTMLSection {
        var section = HTMLSection("warnings", "Warnings")
        section.items = report.run.warnings.map { ("", SafeText.forTerminal($0.textWithRemedy)) }
        section.items += InapplicableGroup.all(in: report.run.plan).map { group in
            let cells = group.cells.map(\.identifier).joined(separator: ", ")
            return ("not applicable", SafeText.forTerminal("\(cells): \(group.reason)"))
        }
        if section.items.isEmpty { section.paragraphs = ["None."] }
        return section
    }

    private var environment: HTMLSection {
        HTMLSection(
            "environment", "Measured on",
            items: EnvironmentSection(report.run).rows.map { ($0 + ":", SafeText.forTerminal($1)) })
    }

    private var reproduction: HTMLSection {
        let machine = report.run.environment
        var section = HTMLSection("reproduce", "How to reproduce")
        let commit = machine.commit.map { " at commit \($0)" } ?? ""
        let changed = machine.hasUncommittedChanges == true ? ", with changes that were not committed" : ""
        section.paragraphs = [SafeText.forTerminal("\(report.run.tool)\(commit)\(changed), on the machine above:")]
        section.command = SafeText.forTerminal(report.run.reproduce)
        return section
    }
}
