// SPDX-License-Identifier: Apache-2.0

/// One budget judged in one case.
public struct BudgetFinding: Hashable, Sendable {
    /// The judgement.
    public enum Outcome: Hashable, Sendable {
        /// The limit holds.
        case within
        /// The limit does not hold.
        case exceeded
        /// Nobody can tell, and why; never a pass.
        case unanswerable(String)
    }

    /// The budget.
    public var budget: Budget
    /// The case, or `nil` where the budget matches none.
    public var cell: Case?
    /// The judgement.
    public var outcome: Outcome
    /// The value of the measured side; where every trial is judged, that of the worst.
    public var measured: Double?
    /// The value of the limiting side, for the same trial.
    public var limit: Double?
    /// The number of the trial that comes nearest to the limit or exceeds it most; `nil` of a median and the like.
    public var worstTrial: Int?
    /// How many completed trials were judged.
    public var trials: Int

    /// The unit of ``measured`` and ``limit``.
    public var unit: Metric.Unit { budget.expression.unit }

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
    public var finding: Finding {
        var finding = Finding(
            cell: subject, metric: budget.expression.metrics.first ?? "", unit: unit, verdict: verdict,
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
