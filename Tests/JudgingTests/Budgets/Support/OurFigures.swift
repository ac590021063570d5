// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Scenarios
import TrialKit

/// What the trial programs of this project declare.
enum OurFigures {
    static let scenarios = CommonScenarios.all(with: ScenarioCatalog.all).map(ScenarioDeclaration.init)
    static let metrics = MetricCatalog(scenarios)

    static func scenario(_ name: String) -> ScenarioDeclaration? { scenarios.first { $0.name == name } }
}

extension Budget {
    /// Reads a budget of what our programs measure.
    init(parsing text: String) throws(BudgetError) {
        try self.init(parsing: text, of: OurFigures.metrics)
    }
}
