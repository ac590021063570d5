// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// The result of the leading scenario in one sentence: by mode the verdict, or else the first figure.
struct ScenarioSentence: Sendable {
    /// The number of cases that a sentence can tell of.
    private static let mostPhrases = 3

    private let report: Report
    private let escape: @Sendable (String) -> String

    init(_ report: Report, escape: @escaping @Sendable (String) -> String) {
        self.report = report
        self.escape = escape
    }

    /// The sentence without its full stop; `nil` if no scenario leads.
    var text: String? {
        let leading = report.leadingConditions
        guard let scenario = report.metrics.scenarios.first(where: { $0.name == leading.scenario.name }),
            let asset = report.leadingAsset
        else { return nil }
        let phrases = report.cases.filter { isLeading($0.cell, asset) && $0.completed > 0 }.map { summary in
            "\(escape(summary.cell.mode)): \(outcome(of: summary, scenario))"
        }
        guard !phrases.isEmpty else { return nil }
        let shown = phrases.prefix(Self.mostPhrases)
        let more = phrases.count > shown.count ? "; \(phrases.count - shown.count) more in the table" : ""
        let allocator = report.leadingAllocator.map { ", \($0.rawValue)" } ?? ""
        return "Scenario \(escape(leading.scenario.text)) (\(escape(asset.name))\(allocator)): "
            + shown.joined(separator: "; ") + more
    }

    private func isLeading(_ cell: Case, _ asset: Asset) -> Bool {
        cell.asset == asset.name && cell.allocator == report.leadingAllocator
            && cell.render == report.run.plan.renders.first
            && cell.conditions.scenario == report.leadingConditions.scenario
    }

    private func outcome(of summary: CaseSummary, _ scenario: ScenarioDeclaration) -> String {
        if let verdict = ScenarioVerdict(scenario).words(of: Array(summary.trials)) { return escape(verdict) }
        guard let figure = scenario.figures?.first(where: { $0.heading != nil }) else { return FigureText.absent }
        return escape(figure.heading ?? "") + " "
            + ScenarioTables.text(summary.median(of: Metric(figure, of: [scenario.name])), of: figure)
    }
}
