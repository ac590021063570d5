// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
package import Runs
import Texts

/// The result of one budget in one case.
package struct BudgetFinding: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case within
        case exceeded
        /// The reason why it cannot be judged; never counts as a pass.
        case unanswerable(String)
    }

    package var budget: Budget
    /// The case, or `nil` if the budget matches none.
    package var cell: Case?
    package var outcome: Outcome
    /// The value of the measured side; of the worst trial if each is judged.
    package var measured: Double?
    package var limit: Double?
    /// The number of the trial closest to the limit or furthest beyond it; `nil` for a median, for example.
    package var worstTrial: Int?
    /// The number of completed trials judged.
    package var trials: Int

    package var unit: Metric.Unit { budget.expression.unit }

    init(_ budget: Budget, _ cell: Case?, _ outcome: Outcome, trials: Int = 0) {
        self.budget = budget
        self.cell = cell
        self.outcome = outcome
        self.trials = trials
    }
}

extension BudgetFinding {
    /// The result as a finding; an unanswerable one is `missing`, so that the exit status reports it.
    package var finding: Finding {
        var finding = Finding(
            cell: subject, metric: budget.expression.metrics.first ?? "", unit: unit, part: nil, verdict: verdict,
            reason: reason)
        finding.head = measured
        finding.limit = limit
        finding.headTrials = trials
        finding.budget = budget.text
        return finding
    }

    private var reason: String {
        switch outcome {
        case .within: ""
        case .exceeded: text
        case .unanswerable(let reason): SafeText.forTerminal(reason)
        }
    }

    private var verdict: Finding.Verdict {
        switch outcome {
        case .within: .unchanged
        case .exceeded: .overBudget
        case .unanswerable: .missing
        }
    }

    /// The identifier of the case, or the scope that matches none.
    var subject: String { cell?.identifier ?? budget.scope?.pattern ?? "every case" }
}
