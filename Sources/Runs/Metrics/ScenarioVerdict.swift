// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// What the trials of a case that played a scenario come to, in words: the last column of the scenario's table.
///
/// Three sources, each only where the scenario has it: what stays with its requests (``RepetitionSummary``), which of its
/// figures are suspect (``SuspectLimit``) or missing, and what the program concludes itself.
package struct ScenarioVerdict: Sendable {
    private let scenario: ScenarioDeclaration

    /// Takes what a scenario declares.
    package init(_ scenario: ScenarioDeclaration) {
        self.scenario = scenario
    }

    /// The words; `nil` where nothing is said.
    package func words(of trials: [Trial]) -> String? {
        let completed = trials.filter { $0.isCompleted && $0.report?.scenario != nil }
        let parts = [trend(of: completed), findings(in: completed)].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var figures: [FigureDeclaration] { scenario.figures ?? [] }

    private func trend(of trials: [Trial]) -> String? {
        guard figures.contains(where: { $0.slopeOf == RepetitionTrend.allocated }) else { return nil }
        return RepetitionSummary.words(of: trials)
    }

    /// What most of the trials have in common, and what any of them lacks.
    private func findings(in trials: [Trial]) -> String? {
        let limits = figures.filter { $0.suspect != nil }
        let readings = trials.compactMap { $0.report?.scenario }
        guard let first = readings.first else { return nil }
        let found = zip(trials, readings).map { trial, reading in
            limits.compactMap { figure in
                Metric(figure, of: [scenario.name]).value(trial).flatMap { figure.suspect?.words(of: $0) }
            }
                + reading.conclusions
        }
        let shared = once(found.flatMap(\.self)).filter { words in
            2 * found.count { $0.contains(words) } > found.count
        }
        let answered = limits.filter { !$0.isMade }
        let missing = answered.map(\.name).filter { name in readings.contains { $0.figures[name] == nil } }
        let words = (shared + missing.map { "missing figure: \($0)" }).joined(separator: ", ")
        // The first remark of a loader is its title.
        if scenario.needs.loader, let title = first.remarks.first {
            return title + ": " + (words.isEmpty ? "nothing wrong" : words)
        }
        if !words.isEmpty { return words }
        return answered.isEmpty ? nil : "nothing wrong"
    }

    private func once(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension SuspectLimit {
    /// What is said of a value; `nil` of one that is not suspect.
    fileprivate func words(of value: Double) -> String? {
        value > above ?? .infinity || value < below ?? -.infinity ? words : nil
    }
}
