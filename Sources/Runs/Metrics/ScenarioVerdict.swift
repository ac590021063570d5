// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The result of a scenario's trials in words: the last column of the scenario's table.
///
/// It has up to three sources: the growth with its requests (``RepetitionSummary``), figures that are suspect
/// (``SuspectLimit``) or missing, and conclusions of the program.
package struct ScenarioVerdict: Sendable {
    private let scenario: ScenarioDeclaration

    package init(_ scenario: ScenarioDeclaration) {
        self.scenario = scenario
    }

    /// Returns the result, or `nil` without any.
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

    /// Returns the findings that most trials share, and figures that any trial lacks.
    private func findings(in trials: [Trial]) -> String? {
        let limits = figures.filter { $0.suspect != nil }
        let readings = trials.compactMap { $0.report?.scenario }
        guard !readings.isEmpty else { return nil }
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
        if !words.isEmpty { return words }
        return answered.isEmpty && !scenario.needs.loader ? nil : "nothing wrong"
    }

    private func once(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension SuspectLimit {
    /// Returns the finding if the value is suspect.
    fileprivate func words(of value: Double) -> String? {
        value > above ?? .infinity || value < below ?? -.infinity ? words : nil
    }
}
