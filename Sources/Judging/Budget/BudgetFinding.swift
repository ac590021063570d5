// SPDX-License-Identifier: Apache-2.0

package import Runs

package struct BudgetFinding: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case within
        case exceeded
        /// The reason why it cannot be judged; never counts as a pass.
        case unanswerable(String)
    }

    package var budget: Budget
    package var cell: Case?
    package var outcome: Outcome
    package var measured: Double?
    package var limit: Double?
    /// The number of the trial closest to the limit or furthest beyond it; `nil` for a median, for example.
    package var worstTrial: Int?
    package var trials: Int

    package var unit: Metric.Unit { budget.expression.unit }

    init(_ budget: Budget, _ cell: Case?, _ outcome: Outcome, trials: Int = 0) {
        (self.budget, self.cell, self.outcome, self.trials) = (budget, cell, outcome, trials)
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

    var subject: String { cell?.identifier ?? budget.scope?.pattern ?? "every case" }
}

extension BudgetFinding: CustomStringConvertible {
    /// The finding in one line, escaped for a terminal.
    ///
    /// `hero/download/none/glibc: peak 22.0 MiB > limit 19.0 MiB (1.2 * size + 4 MiB; trial 7 is the worst of 10)`
    package var text: String {
        let expression = budget.expression
        let line: String
        switch outcome {
        case .unanswerable(let reason):
            line =
                "\(subject): \(expression.measuredText) \(expression.relation.rawValue) \(expression.limitText) "
                + "cannot be judged: \(reason)"
        case .within, .exceeded:
            let relation = outcome == .within ? expression.relation : expression.relation.opposite
            let (measured, limit) = figures
            line =
                "\(subject): \(expression.measuredText) \(measured) \(relation.rawValue) limit \(limit) "
                + "(\(details.joined(separator: "; ")))"
        }
        return SafeText.forTerminal(line)
    }

    package var description: String { text }

    /// The formula, unless it is a plain number, and the number of trials.
    private var details: [String] {
        let formula = budget.expression.limit.isNumber ? [] : [budget.expression.limitText]
        let count = trials == 1 ? "1 trial" : "\(trials) trials"
        guard let worstTrial, trials > 1 else { return formula + [count] }
        return formula + ["trial \(worstTrial) is the worst of \(trials)"]
    }

    /// Both values in the coarsest precision that distinguishes them and the limit from zero.
    private var figures: (measured: String, limit: String) {
        guard let measured, let limit else { return ("–", "–") }
        let pairs = Self.precisions(of: unit).map { ($0(measured), $0(limit)) }
        let telling = pairs.first { value, bound in
            value != bound && (limit == 0 || bound.contains { ("1"..."9").contains($0) })
        }
        return telling ?? pairs.first ?? ("\(measured)", "\(limit)")
    }

    static func precisions(of unit: Metric.Unit) -> [(Double) -> String] {
        switch unit {
        case .bytes: [ByteText.mebibytes, { ByteText.fixed($0, places: 0) + " B" }, { "\($0) B" }]
        case .nanoseconds:
            [
                { ByteText.fixed($0 / 1e6, places: 1) + " ms" }, { ByteText.fixed($0, places: 0) + " ns" },
                { "\($0) ns" },
            ]
        case .ratio: [{ ByteText.fixed($0, places: 2) }, { ByteText.fixed($0, places: 4) }, { "\($0)" }]
        }
    }
}
