// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// A table for each scenario of a run.
struct ScenarioTables: Sendable {
    struct Entry: Sendable {
        let scenario: ScenarioDeclaration
        let table: TextTable
        let notes: ScenarioNotes
    }

    /// Ordered as programs declare them; empty if the run has no scenario.
    let entries: [Entry]
    private let escape: @Sendable (String) -> String

    /// Takes a report and the escaping of the output format for text from outside.
    init(_ report: Report, escape: @escaping @Sendable (String) -> String = SafeText.forMarkdown) {
        self.escape = escape
        entries = report.metrics.scenarios.compactMap { scenario in
            let played = report.fetched.filter { $0.cell.conditions.scenario.name == scenario.name }
            return played.isEmpty
                ? nil
                : Entry(
                    scenario: scenario, table: Self.table(of: played, scenario, escape),
                    notes: ScenarioNotes(played, of: scenario))
        }
    }

    var markdown: String {
        entries.map { entry in
            "## \(heading(of: entry))\n\n\(entry.table.markdown)\n"
                + legend(of: entry).joined(separator: "\n") + "\n\n" + entry.notes.markdown
        }.joined(separator: "\n")
    }

    var plain: String {
        entries.map { entry in
            let table = entry.table.condensed(subject: "mode", counts: ["n"])
            return "\n\(Prose.wrapped(heading(of: entry)))\n\n" + table.table.plain(width: Prose.width)
                + Prose.wrapped(table.caption)
                + Prose.wrapped(sentences(of: entry) + entry.notes.plain, indent: 2)
        }.joined()
    }

    /// Returns the escaped heading: the program's description of a scenario is text from outside.
    func heading(of entry: Entry) -> String {
        escape("Scenario \(entry.scenario.name): \(entry.scenario.question ?? entry.scenario.summary)")
    }

    /// Returns the legend, in which stars and backticks are Markdown and everything else is escaped.
    private func legend(of entry: Entry) -> [String] {
        (entry.scenario.legend ?? []).map { line in
            var (text, words) = ("", "")
            for character in line {
                guard character == "*" || character == "`" else {
                    words.append(character)
                    continue
                }
                text += escape(words) + String(character)
                words = ""
            }
            return text + escape(words)
        }
    }

    /// Returns the legend without markup, in one paragraph; empty without a legend.
    func legendParagraphs(of entry: Entry) -> [String] {
        let lines = legend(of: entry)
        return lines.isEmpty ? [] : [lines.joined(separator: " ").replacing("*", with: "")]
    }

    /// Returns the legend for a terminal, a line for each sentence.
    private func sentences(of entry: Entry) -> String {
        legendParagraphs(of: entry).map { $0.replacing(". ", with: ".\n") + "\n" }.joined()
    }

    private static func table(
        of cases: [CaseSummary], _ scenario: ScenarioDeclaration, _ escape: (String) -> String
    ) -> TextTable {
        let figures = (scenario.figures ?? []).filter { $0.heading != nil }
        let verdicts = cases.map { ScenarioVerdict(scenario).words(of: Array($0.trials)) }
        let hasVerdict = verdicts.contains { $0 != nil }
        let words = ["asset", "mode", "render", "allocator", "conditions"]
        var table = TextTable(
            words + ["n"] + (hasVerdict ? ["verdict"] : []) + ["peak growth, MiB"]
                + figures.compactMap(\.heading).map(escape), words: words.count)
        for (summary, verdict) in zip(cases, verdicts) {
            let cell = summary.cell
            table.rows.append(
                [cell.asset, cell.mode, cell.render, cell.allocator.rawValue, cell.conditionsText].map(escape)
                    + [FigureText.count(summary)] + (hasVerdict ? [verdict.map(escape) ?? FigureText.absent] : [])
                    + [FigureText.growth(summary.median(of: .peakResidentGrowth))]
                    + figures.map { text(summary.median(of: Metric($0, of: [scenario.name])), of: $0) })
        }
        return table
    }

    static func text(_ value: Double?, of figure: FigureDeclaration) -> String {
        guard let value else { return FigureText.absent }
        return switch figure.style ?? figure.unit.usualStyle {
        case .size: FigureText.size(value)
        case .growth: FigureText.growth(value)
        case .bytes: ByteText.fixed(value, places: 1)
        case .milliseconds: FigureText.milliseconds(value)
        case .percent: FigureText.percent(value)
        case .ratio: FigureText.ratio(value)
        case .count: ByteText.fixed(value, places: 0)
        }
    }
}

extension FigureDeclaration.Unit {
    /// The default style of figures in this unit.
    fileprivate var usualStyle: FigureDeclaration.Style {
        switch self {
        case .bytes: .size
        case .nanoseconds: .milliseconds
        case .ratio: .ratio
        }
    }
}
