// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
package import Runs
import Texts

/// One budget judged in one case.
package struct BudgetFinding: Hashable, Sendable {
    /// The judgement.
    package enum Outcome: Hashable, Sendable {
        /// The limit holds.
        case within
        /// The limit does not hold.
        case exceeded
        /// Nobody can tell, and why; never a pass.
        case unanswerable(String)
    }

    /// The budget.
    package var budget: Budget
    /// The case, or `nil` where the budget matches none.
    package var cell: Case?
    /// The judgement.
    package var outcome: Outcome
    /// The value of the measured side; where every trial is judged, that of the worst.
    package var measured: Double?
    /// The value of the limiting side, for the same trial.
    package var limit: Double?
    /// The number of the trial that comes nearest to the limit or exceeds it most; `nil` of a median and the like.
    package var worstTrial: Int?
    /// How many completed trials were judged.
    package var trials: Int

    /// The unit of ``measured`` and ``limit``.
    package var unit: Metric.Unit { budget.expression.unit }

    init(_ budget: Budget, _ cell: Case?, _ outcome: Outcome, trials: Int = 0) {
        self.budget = budget
        self.cell = cell
        self.outcome = outcome
        self.trials = trials
    }
}

extension BudgetFinding {
    /// The finding beside those of a comparison.
    ///
    /// What has no answer is *missing*: there was nothing to judge, and the exit status says so. A budget that
    /// matches no case has its scope in place of a case.
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

    /// The case, or what should have matched one.
    var subject: String { cell?.identifier ?? budget.scope?.pattern ?? "every case" }
}
