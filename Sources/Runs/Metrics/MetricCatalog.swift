// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The metrics of a run: those of every trial, and those that the scenarios of its programs declare.
///
/// Columns, summary, names in budgets and `fetchbench list metrics` are derived from the list ``all``.
package struct MetricCatalog: Sendable {
    package let scenarios: [ScenarioDeclaration]
    /// Every metric once, in the order of the columns.
    package let all: [Metric]
    private let byName: [String: Metric]

    /// The metrics of every trial, without those of scenarios.
    package static let ofEveryTrial = MetricCatalog([])

    /// Adds the metrics of scenarios; the first one of a name counts.
    package init(_ scenarios: [ScenarioDeclaration]) {
        self.scenarios = scenarios
        let names = scenarios.reduce(into: [String: Set<String>]()) { names, scenario in
            for figure in scenario.figures ?? [] { names[figure.name, default: []].insert(scenario.name) }
        }
        let declared = scenarios.flatMap { $0.figures ?? [] }.map { Metric($0, of: names[$0.name] ?? []) }
        // The metrics of every trial take precedence, since a stored run may declare any name.
        let own = Set((Metric.beforeScenarios + Metric.afterScenarios).map(\.name))
        all = Metric.beforeScenarios + Self.once(declared).filter { !own.contains($0.name) } + Metric.afterScenarios
        byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    package subscript(name: String) -> Metric? { byName[name] }

    /// The names and short names of all metrics.
    package var words: Set<String> { Set(all.flatMap { [$0.name, $0.shortName] }) }

    /// Returns the declaration of a case's scenario; `nil` without a scenario or a declaration.
    package func scenario(of cell: Case) -> ScenarioDeclaration? {
        scenarios.first { $0.name == cell.conditions.scenario.name }
    }

    /// Returns the judged metrics of a case: its memory, and the deciding figures of its scenario.
    package func judged(of cell: Case) -> [JudgedMetric] {
        JudgedMetric.memory + (scenario(of: cell).map(deciding(_:)) ?? [])
    }

    /// Returns the metrics of a case in a baseline: the judged ones and the wholes that changes are relative to.
    package func stored(of cell: Case) -> [Metric] {
        judged(of: cell).flatMap(\.alternatives) + JudgedMetric.wholes
    }

    /// The preferred judged metrics of all cases, each once.
    package var judged: [Metric] {
        Self.once((JudgedMetric.memory + scenarios.flatMap(deciding(_:))).map { $0.alternatives[0] })
    }

    private func deciding(_ scenario: ScenarioDeclaration) -> [JudgedMetric] {
        (scenario.figures ?? []).compactMap { figure in
            guard let step = figure.decides, let metric = byName[figure.name] else { return nil }
            return JudgedMetric(.scenario, [metric], step: step)
        }
    }

    private static func once(_ metrics: [Metric]) -> [Metric] {
        var seen: Set<String> = []
        return metrics.filter { seen.insert($0.name).inserted }
    }
}

extension RunRecord {
    package var metrics: MetricCatalog { MetricCatalog(scenarios ?? []) }
}

extension Dimension {
    /// Returns the value of the column for a case; empty if the dimension does not apply to it.
    package func columnText(of cell: Case, in metrics: MetricCatalog) -> String {
        isTold(metrics.scenario(of: cell)) ? columnText(cell.conditions) : ""
    }
}
