// SPDX-License-Identifier: Apache-2.0

import Runs
import Scenarios

/// The scenarios that this project's trial programs declare.
enum OurFigures {
    static let scenarios = CommonScenarios.all(with: ScenarioCatalog.all).map(ScenarioDeclaration.init)
    static let metrics = MetricCatalog(scenarios)

    static func scenario(_ name: String) -> ScenarioDeclaration? { scenarios.first { $0.name == name } }
}
