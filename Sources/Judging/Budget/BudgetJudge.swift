// SPDX-License-Identifier: Apache-2.0

package import Runs

package enum BudgetJudge {
    /// Returns the findings by budget, in the order of the cases.
    ///
    /// A budget that matches no case has one finding without a case. A case without a completed trial has no answer.
    package static func findings(for budgets: [Budget], in run: RunRecord) -> [BudgetFinding] {
        // Sweeps of many trials take longer than all else.
        guard !budgets.isEmpty else { return [] }
        let trials = run.trialsByCase.mapValues { Array($0) }
        let all = Dictionary(grouping: run.trials, by: \.cell)
        let sweeps = SizeSweep.all(in: run)
        return budgets.flatMap { budget in
            let cells = run.plan.cases.filter(budget.applies(to:))
            guard !cells.isEmpty else { return [withoutCase(budget, in: run.plan)] }
            return judged(cells, by: budget, sweeps).map { cell in
                let sweep = sweeps.first { $0.cases.contains(cell) }
                // The slope depends on the trials of all sizes.
                let members = budget.expression.needsSweep ? sweep?.cases ?? [cell] : [cell]
                return judge(
                    budget, cell, trials[cell] ?? [], size: run.plan.asset(of: cell)?.byteCount, sweep: sweep,
                    failed: members.flatMap { all[$0] ?? [] }.count { !$0.isCompleted })
            }
        }
    }

    /// Returns the findings of a run's budgets; of a comparison the head is judged.
    package static func findings(ofHead run: RunRecord) throws -> [Finding] {
        var head = run
        if run.kind.isPaired {
            head.trials = run.trials.filter { $0.pairing?.side == .head && $0.pairing?.stage != .warmup }
        }
        return findings(for: try run.parsedBudgets(), in: head).map(\.finding)
    }

    /// Returns the cases to judge: only the largest of a sweep if the budget limits its slope alone.
    private static func judged(_ cells: [Case], by budget: Budget, _ sweeps: [SizeSweep]) -> [Case] {
        guard budget.expression.needsSweep, !budget.expression.isOfOneTrial else { return cells }
        return cells.filter { cell in
            guard let sweep = sweeps.first(where: { $0.cases.contains(cell) }) else { return true }
            return sweep.cases.last(where: cells.contains) == cell
        }
    }

    private static func withoutCase(_ budget: Budget, in plan: Plan) -> BudgetFinding {
        if let cell = plan.inapplicable.first(where: { budget.applies(to: $0.cell) }) {
            let reason = "it matches only cases that cannot be measured (\(cell.cell.identifier): \(cell.reason))"
            return BudgetFinding(budget, nil, .unanswerable(reason))
        }
        guard let scope = budget.scope else {
            return BudgetFinding(budget, nil, .unanswerable("the run has no case that fetches"))
        }
        let reason =
            "no case of the run matches '\(scope.pattern)' (expected asset/mode/render/allocator[/conditions]; * matches "
            + "any text)"
        return BudgetFinding(budget, nil, .unanswerable(reason))
    }

    /// Returns an excess of completed trials even if others failed; a pass needs every trial to complete.
    private static func judge(
        _ budget: Budget, _ cell: Case, _ all: [Trial], size: ByteCount?, sweep: SizeSweep?, failed: Int
    ) -> BudgetFinding {
        let completed = all.filter(\.isCompleted)
        guard !completed.isEmpty else {
            return BudgetFinding(budget, cell, .unanswerable("no trial of the case completed"))
        }
        var finding = judge(budget, cell, completed: completed, size: size, sweep: sweep)
        if finding.outcome == .within, failed > 0 {
            let of = budget.expression.needsSweep ? "trials of the sweep" : "of \(all.count) trials"
            finding.outcome = .unanswerable("\(failed) \(of) did not complete")
        }
        return finding
    }

    private static func judge(
        _ budget: Budget, _ cell: Case, completed trials: [Trial], size: ByteCount?, sweep: SizeSweep?
    ) -> BudgetFinding {
        let expression = budget.expression
        let subjects = expression.isOfOneTrial ? trials.map(Optional.some) : [nil]
        var gap: String?
        var worst: Comparison?
        for trial in subjects {
            var figures = Figures(
                trials: trials, trial: trial, size: (trial ?? trials.first)?.assetByteCount ?? size,
                sweep: sweep)
            do {
                let comparison = try Comparison(expression, figures)
                figures.areAtMost = true
                let most = try Comparison(expression, figures)
                guard comparison.holds == most.holds else {
                    let bounds = [comparison.measured, most.measured].map(
                        BudgetFinding.precisions(of: expression.measured.unit)[0])
                    throw FetchBenchError(
                        "the limit lies between the bounds of the peak of its processes together: "
                            + bounds.joined(separator: " and "))
                }
                worst = worst.map { comparison.excess > $0.excess ? comparison : $0 } ?? comparison
            } catch {
                gap = gap ?? "\(error)"
            }
        }
        return finding(budget, cell, worst: worst, gap: gap, trials: trials.count)
    }

    /// Returns an excess of one trial even if others lack the figure; a pass needs the figure of every trial.
    private static func finding(
        _ budget: Budget, _ cell: Case, worst: Comparison?, gap: String?, trials: Int
    ) -> BudgetFinding {
        guard let worst, gap == nil || !worst.holds else {
            return BudgetFinding(budget, cell, .unanswerable(gap ?? "nothing was judged"), trials: trials)
        }
        var finding = BudgetFinding(budget, cell, worst.holds ? .within : .exceeded, trials: trials)
        finding.measured = worst.measured
        finding.limit = worst.limit
        finding.worstTrial = worst.trial
        return finding
    }

    /// Both sides of a budget for one trial, or once for all of them.
    private struct Comparison {
        let measured: Double
        let limit: Double
        let holds: Bool
        let trial: Int?
        /// The distance beyond the limit; negative within it.
        let excess: Double

        init(_ expression: Budget.Expression, _ figures: Figures) throws {
            measured = try expression.measured.value(in: figures)
            limit = try expression.limit.value(in: figures)
            holds = expression.relation.holds(measured, limit)
            excess = expression.relation.isUpperBound ? measured - limit : limit - measured
            trial = figures.trial?.number ?? expression.measured.extremeTrial(of: figures.trials, measured)
        }
    }

    struct Figures {
        var trials: [Trial]
        var trial: Trial?
        var size: ByteCount?
        var sweep: SizeSweep?
        /// True for the upper bounds of figures that are known only within bounds, such as the peak of several processes.
        var areAtMost = false
    }
}

extension Budget.Term {
    /// Returns the number of the first trial with the value of a bare `max(…)` or `min(…)`.
    fileprivate func extremeTrial(of trials: [Trial], _ value: Double) -> Int? {
        guard case .function(let function, let name) = kind, function != .median else { return nil }
        return trials.first { name.metric?.limitable($0) == value }?.number
    }
}

extension Budget.Term {
    /// Returns the value in base units, always finite.
    func value(in figures: BudgetJudge.Figures) throws -> Double {
        switch kind {
        case .number(let number): return number
        case .size:
            guard let size = figures.size else { throw FetchBenchError("the size of its asset is unknown") }
            return Double(size.rawValue)
        case .metric(let name) where name.metric == nil, .function(_, let name) where name.metric == nil:
            guard let sweep = figures.sweep else { throw name.needsSweep }
            guard sweep.verdict != .undecided else {
                let bounds = sweep.line.slopeInterval
                throw FetchBenchError(
                    "the slope is undecided: its interval goes from \(ByteText.fixed(bounds.lowerBound, places: 2)) to "
                        + ByteText.fixed(bounds.upperBound, places: 2))
            }
            return sweep.line.slope
        case .metric(let name):
            guard let trial = figures.trial else { throw name.missing(in: nil) }
            return try name.value(in: trial, areAtMost: figures.areAtMost)
        case .function(let function, let name):
            return try function.value(of: name, in: figures, column: range.lowerBound + 1)
        case .negated(let term): return -(try term.value(in: figures))
        case .combined(let left, let sign, let right, let column):
            let (first, second) = (try left.value(in: figures), try right.value(in: figures))
            guard sign != .over || second != 0 else { throw FetchBenchError("division by zero at column \(column)") }
            let result = sign(first, second)
            guard result.isFinite else { throw Budget.Function.overflow(column) }
            return result
        }
    }
}

extension Budget.Name {
    fileprivate var needsSweep: FetchBenchError {
        FetchBenchError(
            "\(word) needs a sweep of at least \(SizeSweep.fewestSizes) sizes, which this case is not part of")
    }

    fileprivate func missing(in trial: Int?) -> FetchBenchError {
        FetchBenchError((trial.map { "trial \($0)" } ?? "the case") + " has no \(word)")
    }

    func value(in trial: Trial, areAtMost: Bool) throws -> Double {
        guard let metric else { throw needsSweep }
        guard let value = metric.limitable(trial, isAtMost: areAtMost), value.isFinite else {
            throw missing(in: trial.number)
        }
        return value
    }
}

extension Budget.Function {
    /// Returns the figure of all trials; throws if one lacks it, as the answer would cover only the others.
    func value(of name: Budget.Name, in figures: BudgetJudge.Figures, column: Int) throws -> Double {
        let values = try figures.trials.map { try name.value(in: $0, areAtMost: figures.areAtMost) }
        guard let distribution = Distribution(values) else { throw name.missing(in: nil) }
        let value =
            switch self {
            case .max: distribution.maximum
            case .min: distribution.minimum
            case .median: distribution.median
            }
        guard value.isFinite else { throw Self.overflow(column) }
        return value
    }

    fileprivate static func overflow(_ column: Int) -> FetchBenchError {
        FetchBenchError("the result at column \(column) is too large")
    }
}

extension RunRecord {
    /// Parses the budgets stored with the run.
    package func parsedBudgets() throws -> [Budget] {
        let metrics = metrics
        do {
            return try (budgets ?? []).map { try Budget(parsing: $0, of: metrics) }
        } catch {
            throw FetchBenchError.malformedRun(name: identifier, reason: "\(error)")
        }
    }
}
