// SPDX-License-Identifier: Apache-2.0

import Runs
import Statistics

/// The scenarios of a run: a sentence for the leading one, and a section for each.
struct Scenarios: Sendable {
    private static let mostPhrases = 3

    private let report: Report

    init(_ report: Report) { self.report = report }

    var sections: [DocumentSection] {
        report.metrics.scenarios.compactMap { scenario in
            let played = report.fetched.filter { $0.cell.scenarioName == scenario.name }
            if played.isEmpty { return nil }
            let table = Self.table(of: played, scenario)
            // Programs declare Markdown, a document is plain text.
            let legend = (scenario.legend ?? []).joined(separator: " ").filter { !"*`".contains($0) }
            return DocumentSection(
                "scenario-" + scenario.name, "Scenario \(scenario.name): \(scenario.question ?? scenario.summary)",
                tables: [DocumentTable("Medians of scenario \(scenario.name)", table, subject: "mode", counts: ["n"])],
                items: (Self.furtherRequests(in: played) + Self.remarks(on: played, of: scenario)).map {
                    .init("", $0)
                },
                legend: legend.replacing(". ", with: ".\n").split(separator: "\n").map(String.init))
        }
    }

    /// The verdicts, or else the first figures, of the leading scenario by mode, without a full stop; `nil` if none leads.
    var sentence: String? {
        let leading = report.leadingConditions
        guard let scenario = report.metrics.scenarios.first(where: { $0.name == leading.scenario.name }),
            let asset = report.leadingAsset
        else { return nil }
        let played = report.cases.filter { isLeading($0.cell, asset) && $0.completed > 0 }
        let loaders = Set(played.map(\.cell.conditions.loader))
        let phrases = played.map { summary in
            summary.cell.mode + (loaders.count > 1 ? " with \(summary.cell.conditions.loader)" : "")
                + ": \(Self.outcome(of: summary, scenario))"
        }
        guard !phrases.isEmpty else { return nil }
        let more = phrases.count - Self.mostPhrases
        let allocator = report.leadingAllocator.map { ", \($0.rawValue)" } ?? ""
        return "Scenario \(leading.scenario.text) (\(asset.name)\(allocator)): "
            + phrases.prefix(Self.mostPhrases).joined(separator: "; ") + (more > 0 ? "; \(more) more in the table" : "")
    }

    private func isLeading(_ cell: Case, _ asset: Asset) -> Bool {
        cell.asset == asset.name && cell.allocator == report.leadingAllocator
            && cell.render == report.run.plan.renders.first
            && cell.conditions.scenario == report.leadingConditions.scenario
    }

    private static func outcome(of summary: CaseSummary, _ scenario: ScenarioDeclaration) -> String {
        if let verdict = ScenarioVerdict(scenario).words(of: Array(summary.trials)) { return verdict }
        guard let figure = scenario.figures?.first(where: { $0.heading != nil }) else { return FigureText.absent }
        return "\(figure.heading ?? "") \(text(summary.median(of: Metric(figure, of: [scenario.name])), of: figure))"
    }

    private static func table(of cases: [CaseSummary], _ scenario: ScenarioDeclaration) -> TextTable {
        let figures = (scenario.figures ?? []).filter { $0.heading != nil }
        let verdicts = cases.map { ScenarioVerdict(scenario).words(of: Array($0.trials)) }
        let hasVerdict = verdicts.contains { $0 != nil }
        let words = ["asset", "mode", "render", "allocator", "conditions"]
        var table = TextTable(
            words + ["n"] + (hasVerdict ? ["verdict"] : []) + ["peak growth, MiB"] + figures.compactMap(\.heading),
            words: words.count)
        table.rows = zip(cases, verdicts).map { summary, verdict in
            let cell = summary.cell
            return [cell.asset, cell.mode, cell.render, cell.allocator.rawValue, cell.conditionsTextOrUsual]
                + [FigureText.count(summary)] + (hasVerdict ? [verdict ?? FigureText.absent] : [])
                + [FigureText.growth(summary.median(of: .peakResidentGrowth))]
                + figures.map { text(summary.median(of: Metric($0, of: [scenario.name])), of: $0) }
        }
        return table
    }

    private static func text(_ value: Double?, of figure: FigureDeclaration) -> String {
        guard let value else { return FigureText.absent }
        return switch (figure.style, figure.unit) {
        case (.size, _), (nil, .bytes): FigureText.size(value)
        case (.growth, _): FigureText.growth(value)
        case (.bytes, _): ByteText.fixed(value, places: 1)
        case (.milliseconds, _), (nil, .nanoseconds): FigureText.milliseconds(value)
        case (.percent, _): FigureText.percent(value)
        case (.ratio, _), (nil, .ratio): FigureText.ratio(value)
        case (.count, _): ByteText.fixed(value, places: 0)
        }
    }

    /// Returns the growth of servers over the number of requests in flight, by Theil and Sen, from at least two numbers.
    private static func furtherRequests(in cases: [CaseSummary]) -> [String] {
        let groups = cases.filter(\.cell.isServer).grouped { summary in
            var cell = summary.cell
            cell.conditions.concurrency = 1
            return cell
        }
        return groups.compactMap { cell, members in
            // Medians: a line through every trial would take the square of their number.
            let points = members.compactMap { member in
                member.median(of: .peakResidentGrowth).map { (Double(member.cell.conditions.concurrency), $0) }
            }
            guard let line = try? RobustRegression(x: points.map(\.0), y: points.map(\.1)) else { return nil }
            let circumstances = cell.parameters.map { "\($0.name) \($0.value)" } + cell.conditions.words
            let place = circumstances.isEmpty ? "" : " (\(circumstances.joined(separator: ", ")))"
            return
                "\(cell.mode)\(place): each further request in flight adds \(FigureText.size(line.slope)) MiB to the peak"
        }
    }

    /// Returns each distinct remark of the trials, with the modes or loaders, and the variants, that made it.
    private static func remarks(on cases: [CaseSummary], of scenario: ScenarioDeclaration) -> [String] {
        let made = cases.flatMap { summary in
            summary.trials.flatMap { $0.report?.scenario?.remarks ?? [] }.map { (remark: $0, cell: summary.cell) }
        }
        return made.grouped(by: \.remark).map { remark, entries in
            let cells = entries.map(\.cell)
            let subjects = cells.grouped { scenario.needs.loader ? $0.conditions.loader : $0.mode }.map(\.key)
            let choices = cells.grouped(by: \.conditions.scenario).map(\.key)
            let variants =
                choices.allSatisfy { $0.variant != nil } ? " (\(choices.map(\.text).joined(separator: ", ")))" : ""
            return "\(subjects.joined(separator: ", "))\(variants): \(remark)"
        }
    }
}
