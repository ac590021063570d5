// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// The report on a run: the answer, the pictures, the cases, then the details.
struct RunDocument: Sendable {
    let report: Report
    private let judged: [Finding]

    init(_ report: Report) {
        self.report = report
        judged = report.run.kind == .run ? (try? BudgetJudge.findings(ofHead: report.run)) ?? [] : []
    }

    func document(for medium: Document.Medium) throws -> Document {
        let isMerged = report.run.sharding.map { $0.number == nil } ?? false
        let end =
            isMerged
            ? "Trials of some shards are missing; the others are below."
            : "This run was interrupted; its results so far are below."
        let state = report.run.finishedAt == nil ? [end] : []
        var document = Document(title: title, answer: [Headline(report).text] + state)
        document.subtitle = subtitle
        document.sections = try sections(for: medium)
        return document
    }

    func sections(for medium: Document.Medium) throws -> [DocumentSection] {
        let commands = CommandReport(report).map { [CommandsDocument($0).section] } ?? []
        let scenarios = Scenarios(report).sections
        let allocators = AllocatorSection(report.allocatorCurves).map { [$0.section] } ?? []
        switch medium {
        case .terminal:
            return [budgets, cases, published] + scenarios + [slopes] + commands + allocators + [warnings(for: medium)]
        case .markdown:
            return [answer] + scenarios + [slopes, cases] + commands + allocators + details
                + [warnings(for: medium), reproduction, hosts, machine, reading]
        case .page:
            let pictures =
                (report.sweeps.isEmpty ? [peaks] : [slopes, peaks]) + (try TimelinePictures(report).sections)
                + [try HolderPictures(in: report.folder).section]
            let all = scenarios + pictures + allocators + [cases] + commands
            let folded = [answer] + details + [trials, PeakPictures(report).spread, warnings(for: medium)]
            return all
                + (folded + [reproduction, hosts, machine, reading, missing(from: all)]).map { section in
                    var section = section
                    section.isFolded = true
                    return section
                }
        }
    }

    /// The subjects of the run: `data, download · 16MiB · glibc`.
    private var title: String {
        let plan = report.run.plan
        guard plan.fetches else { return Self.few(plan.cases.map(\.title), "commands") }
        let renders = plan.renders.filter { $0 != Case.withoutRendering }
        let parts = [
            Self.few(plan.modes.filter { $0 != Case.nullMode }, "modes"), Self.few(plan.assets.map(\.name), "assets"),
            Self.few(renders, "render models"), Self.few(plan.allocators.map(\.rawValue), "allocators"),
        ].filter { !$0.isEmpty }
        return (report.run.suite.map { $0 + ": " } ?? "") + parts.joined(separator: " · ")
    }

    private static func few(_ names: [String], _ kind: String) -> String {
        names.count > 4 ? "\(names.count) \(kind)" : names.joined(separator: ", ")
    }

    private var subtitle: String {
        let (run, machine) = (report.run, report.run.environment)
        let parts = [
            run.startedAt, machine.label ?? machine.processor, machine.commit.map { "commit \($0)" },
            "\(run.plan.cases.count) cases × \(run.plan.trials) trials", run.identifier,
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    private var budgets: DocumentSection {
        let items = judged.map { DocumentSection.Item("", FindingLine($0, of: .check).textWithVerdict) }
        return DocumentSection("budgets", "Budgets", items: items, isUntitled: true)
    }

    private var peaks: DocumentSection {
        let figures = PeakPictures(report, budgets: judged).figure.map { [$0] } ?? []
        return DocumentSection("peaks", "Peak memory", figures: figures, items: budgets.items)
    }

    private var cases: DocumentSection {
        guard report.run.plan.fetches else { return DocumentSection("cases", "Every case") }
        let table = casesTable
        let shown = table.condensed(\.text).table.header
        let plan = report.run.plan
        let decoding = report.cases.filter(\.decodesWhileFetching).map { report.label(of: $0.cell) }
        let isOfOrigin = plan.assets.contains(where: \.isEmbedded)
        let lines: [String?] = [
            (plan.trials > 1 ? "Medians. " : "") + "Growth in MiB"
                + (plan.firstMode == nil ? "." : " since the end of the warm-up."),
            shown.contains("k") && plan.firstMode == nil && plan.commands.contains { $0.server != nil }
                ? "k: copies of the bodies in flight in memory at the peak."
                : shown.contains("k")
                    ? "k: copies of \(plan.settings.bodyOfK) in memory at the peak of the fetch, before anything is decoded."
                    : nil,
            decoding.isEmpty
                ? nil : "Time and memory of the fetch include decoding: \(decoding.joined(separator: ", ")).",
            shown.contains("CV") ? "CV: variation of the whole peak between trials." : nil,
            table.exceptions.isEmpty ? nil : "\(Report.nullLabel): the same process without a fetch.",
            isOfOrigin ? plan.settings.paceText : nil,
            plan.commands.contains(where: \.fetches)
                ? "Commands: growth and k count from the peak of the same command with a body of 1 KiB."
                    + report.cases.timeLegend : nil,
        ]
        return DocumentSection(
            "cases", "Every case", tables: [table], legend: lines.compactMap(\.self) + RunNotes.lines(on: report),
            isUntitled: true)
    }

    private var answered: DownloadAnswerText? { report.downloadAnswer.map { DownloadAnswerText($0) } }

    private var answer: DocumentSection {
        DocumentSection(
            "answer", "What a download task saves",
            tables: answered.map { [DocumentTable("Medians, in MiB", $0.table)] } ?? [], legend: answered?.legend ?? [])
    }

    private var published: DocumentSection {
        DocumentSection("published", "Published figures", legend: answered?.megabytes ?? [], isUntitled: true)
    }

    private var slopes: DocumentSection {
        let heading = "Peak growth = a + slope · size"
        guard let table = slopesTable else { return DocumentSection("slopes", heading) }
        return DocumentSection(
            "slopes", heading, figures: report.slopePictures.map { DocumentFigure(picture: $0) },
            tables: [DocumentTable("The lines, with the 95 % interval of the slope", table, subject: "mode")],
            legend: [
                "Theil–Sen over the completed trials. An interval within "
                    + "\(ByteText.fixed(SizeSweep.tolerance, places: 1)) of a whole number is that many copies of the asset. "
                    + "Without decoding the slope is k over sizes; with it, it includes what is decoded."
            ])
    }

    private var details: [DocumentSection] {
        guard report.run.plan.fetches else { return [] }
        let tables = [
            ("Memory, in MiB; growth counts from the mark that ends the warm-up", memoryTable),
            ("CPU and wall time, in milliseconds", timeTable),
            ("The allocator's own account at the end of each phase, in MiB", allocatorsTable),
        ].map { DocumentTable($0, $1, subject: "mode") }
        let legend =
            "Fetch CPU includes the hashing of modes that hash while they receive (the streams and raw); subtract verify CPU. "
            + "On a shared machine wall time is noise; a paced origin sets the fetch's.\(report.cases.timeLegend)"
        return [DocumentSection("details", "Every figure of every case", tables: tables, legend: [legend])]
    }

    /// More trials would make the page heavy; they are in `trials.csv`.
    private static let mostTrials = 400

    private var trials: DocumentSection {
        let (count, heading) = (report.run.trials.count, "Every trial")
        guard count <= Self.mostTrials else {
            return DocumentSection(
                "trials", heading, paragraphs: ["\(count) trials are too many for a page; they are in trials.csv."])
        }
        let caption = "Each trial in the order in which it was done; sizes in MiB"
        return DocumentSection("trials", heading, tables: [DocumentTable(caption, trialsTable)])
    }

    private func warnings(for medium: Document.Medium) -> DocumentSection {
        // Plain commands have their own lines for failures.
        let failures = RunDoubts.failures(of: report.run) { report.failuresAreShown || $0.isPlain }
        let warnings = report.run.warnings.filter { !failures.contains($0) }
        let groups = report.run.plan.inapplicable.grouped(by: \.reason)
        let items =
            warnings.map { DocumentSection.Item("warning", $0.textWithRemedy) }
            + groups.map { group in
                let cells = group.elements.map(\.cell.identifier)
                let more = cells.count > 1 && medium == .terminal ? " and \(cells.count - 1) more" : ""
                let named = more.isEmpty ? cells.joined(separator: ", ") : cells[0] + more
                return .init("not applicable", "\(named) — \(group.key)")
            }
        return DocumentSection("warnings", "Warnings (\(items.count))", items: items, isUntitled: true)
    }

    private var reproduction: DocumentSection {
        let machine = report.run.environment
        let commit = machine.commit.map { " at commit \($0)" } ?? ""
        let changed = machine.hasUncommittedChanges == true ? ", with changes that were not committed" : ""
        return DocumentSection(
            "reproduce", "How to reproduce",
            paragraphs: ["\(report.run.tool)\(commit)\(changed), on the machine below:"], command: report.run.reproduce)
    }

    private var hosts: DocumentSection { HostsSection(run: report.run).section }

    private var machine: DocumentSection {
        DocumentSection("machine", "Machine and plan", items: report.run.machineItems)
    }

    private var reading: DocumentSection {
        let plan = report.run.plan
        let items =
            (plan.fetches ? ReadingGuides.ofFetches : [])
            + (plan.commands.contains { !$0.fetches } ? ReadingGuides.ofCommands : [])
        return DocumentSection("reading", "How to read this", items: items)
    }

    /// Optional contents that this run lacks, each with its flag.
    private func missing(from sections: [DocumentSection]) -> DocumentSection {
        let present = Set(sections.filter { !$0.isEmpty }.map(\.identifier))
        let others = [
            ("timelines", "memory over time (samples.csv beside run.json)"),
            ("slopes", "growth by size (assets of \(SizeSweep.fewestSizes) sizes)"),
            ("holders", "who holds the peak (--explain)"),
            ("allocator", "what the allocator keeps (--allocator-series)"),
        ].filter { !present.contains($0.0) }
        let text = others.map(\.1).joined(separator: " · ")
        return DocumentSection(
            "missing", "Not in this run", paragraphs: text.isEmpty || !report.run.plan.fetches ? [] : [text])
    }

    /// Notes below the table of cases: unusual conditions, an unusual view, failed decoding, costs of decoding.
    enum RunNotes {
        static func lines(on report: Report) -> [String] {
            let unusual = Dimension.all.filter { dimension in
                report.run.plan.cases.contains {
                    // The notes on what fetches have, too, are about fetches.
                    ($0.isServer ? dimension.subjects == [.server] : true) && dimension.isUnusual(in: $0.conditions)
                }
            }
            let areShown = report.cases.contains { $0.cell.render != Case.withoutRendering || $0.showsItself }
            let view = areShown ? ViewText.unusual(report.run.plan.settings.rendering) : nil
            // Their notes mark code as in Markdown, a document is plain text.
            var lines = unusual.map { $0.note.joined(separator: " ").filter { $0 != "`" } }.filter { !$0.isEmpty }
            if let proxies = report.run.environment.conditions?[MachineEnvironment.proxies] {
                lines.append("Clients that read \(proxies) use the proxies named there; the embedded origin is exempt.")
            }
            if let view { lines.append("Pictures are shown in a view of \(view) pixels.") }
            for summary in report.cases {
                // The trials of a case decode the same picture, so their notes are the same.
                let note = summary.trials.lazy.compactMap { $0.report?.picture?.note }.first.map { $0 + "." }
                lines += [fallbacks(of: summary), note].compactMap(\.self).map { "\(summary.cell.identifier): \($0)" }
            }
            return lines
        }

        /// Returns how many pictures could not be decoded, or `nil` if all could.
        private static func fallbacks(of summary: CaseSummary) -> String? {
            let counts = summary.trials.ofCompleted { $0.report?.picture?.fallbackCount }
            let fallbacks = counts.reduce(0, +)
            guard fallbacks > 0 else { return nil }
            let all = counts.count * summary.cell.conditions.concurrency
            return "\(fallbacks) of \(all) showed the fallback: the body cannot be decoded."
        }
    }
}
