// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The figures of a run: those of every trial, and those that the programs declare whose scenarios it may have played.
///
/// ``all`` is the one list: columns, summary, the words of budgets and `fetchbench list metrics` follow from it.
package struct MetricCatalog: Sendable {
    /// The scenarios with what they declare.
    package let scenarios: [ScenarioDeclaration]
    /// Every metric once, in the order of the columns.
    package let all: [Metric]
    /// The metrics by their names.
    private let byName: [String: Metric]

    /// The figures that every trial may have, and no others.
    package static let ofEveryTrial = MetricCatalog([])

    /// Takes what programs declare; of two figures of one name the first counts.
    package init(_ scenarios: [ScenarioDeclaration]) {
        self.scenarios = scenarios
        let names = scenarios.reduce(into: [String: Set<String>]()) { names, scenario in
            for figure in scenario.figures ?? [] { names[figure.name, default: []].insert(scenario.name) }
        }
        let declared = scenarios.flatMap { $0.figures ?? [] }.map { Metric($0, of: names[$0.name] ?? []) }
        // A stored run may declare anything: what every trial has comes first.
        let own = Set((Metric.beforeScenarios + Metric.afterScenarios).map(\.name))
        all = Metric.beforeScenarios + Self.once(declared).filter { !own.contains($0.name) } + Metric.afterScenarios
        byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The metric of a name; `nil` where none has it.
    package subscript(name: String) -> Metric? { byName[name] }

    /// The words that name one of them.
    package var words: Set<String> { Set(all.flatMap { [$0.name, $0.shortName] }) }

    /// What is declared of the scenario that a case plays; `nil` where it plays none, or one that declares nothing.
    package func scenario(of cell: Case) -> ScenarioDeclaration? {
        scenarios.first { $0.name == cell.conditions.scenario.name }
    }

    /// Everything that is judged of a case: its memory, and the figures that decide its scenario.
    package func judged(of cell: Case) -> [JudgedMetric] {
        JudgedMetric.memory + (scenario(of: cell).map(deciding(_:)) ?? [])
    }

    /// Every metric that may be judged of a case, and the wholes that changes are relative to: what a baseline keeps.
    package func stored(of cell: Case) -> [Metric] {
        judged(of: cell).flatMap(\.alternatives) + JudgedMetric.wholes
    }

    /// The metrics that are judged of some case, where everything can be read, each once.
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
    /// The figures of its trials.
    package var metrics: MetricCatalog { MetricCatalog(scenarios ?? []) }
}

extension Dimension {
    /// The value of a case as its column has it; empty where it means nothing to the case.
    package func columnText(of cell: Case, in metrics: MetricCatalog) -> String {
        isTold(metrics.scenario(of: cell)) ? columnText(cell.conditions) : ""
    }
}
