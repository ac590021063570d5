// SPDX-License-Identifier: Apache-2.0

import Runs
import Support
import TrialKit

/// The tables of the scenarios that a run played, one for each.
struct ScenarioTables: Sendable {
    /// A scenario with its table.
    struct Entry: Sendable {
        let figures: ScenarioFigures
        let table: TextTable
        let notes: ScenarioNotes
    }

    /// In the order of the list of scenarios; empty where none was played.
    let entries: [Entry]

    /// Takes a report; `escape` makes text from outside harmless where the tables are shown.
    init(_ report: Report, escape: @escaping @Sendable (String) -> String = SafeText.forMarkdown) {
        entries = ScenarioFigures.all.compactMap { figures in
            let played = report.fetched.filter { $0.cell.conditions.scenario.name == figures.scenario }
            return played.isEmpty
                ? nil
                : Entry(
                    figures: figures, table: Self.table(of: played, figures, escape), notes: ScenarioNotes(played))
        }
    }

    /// The tables with their questions and legends, as sections of a report.
    var markdown: String {
        entries.map { entry in
            "## Scenario \(entry.figures.scenario): \(entry.figures.question)\n\n\(entry.table.markdown)\n"
                + entry.figures.legend.joined(separator: "\n") + "\n\n" + entry.notes.markdown
        }.joined(separator: "\n")
    }

    /// The same for a terminal.
    var plain: String {
        entries.map { entry in
            // The sources of a loader's figures are pages: they are in the report.
            let isLoading = Dimension.loadingScenarios.contains(entry.figures.scenario)
            return "\nScenario \(entry.figures.scenario): \(entry.figures.question)\n" + entry.table.plain
                + entry.figures.legend.map { $0.replacing("*", with: "") + "\n" }.joined()
                + (isLoading ? "" : entry.notes.plain)
        }.joined()
    }

    private static func table(
        of cases: [CaseSummary], _ figures: ScenarioFigures, _ escape: (String) -> String
    ) -> TextTable {
        let words = ["asset", "mode", "render", "allocator", "conditions"]
        var table = TextTable(
            words + ["n", "peak growth, MiB"] + figures.columns.map(\.heading)
                + (figures.verdict == nil ? [] : ["verdict"]), words: words.count)
        for summary in cases {
            let cell = summary.cell
            table.rows.append(
                [cell.asset, cell.mode, cell.render, cell.allocator.rawValue, cell.conditionsText].map(escape)
                    + [FigureText.count(summary), FigureText.growth(summary.median(of: .peakResidentGrowth))]
                    + figures.columns.map { text(summary.median(of: $0.metric), $0.style) }
                    + (figures.verdict.map { [$0(Array(summary.trials)) ?? FigureText.absent] } ?? []))
        }
        return table
    }

    static func text(_ value: Double?, _ style: ScenarioFigures.Style) -> String {
        guard let value else { return FigureText.absent }
        return switch style {
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
