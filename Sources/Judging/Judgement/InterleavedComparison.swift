// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Compares two builds on one machine: pairs of all cases, then fresh pairs of those that seem changed.
package struct InterleavedComparison: Sendable {
    private let cells: [Case]
    private let judge: CaseJudge
    private let metrics: MetricCatalog

    /// - Parameter metrics: The metrics of both sides' programs.
    package init(of cells: [Case], by metrics: MetricCatalog, judge: CaseJudge) {
        self.cells = cells
        self.metrics = metrics
        self.judge = judge
    }

    /// Measures the pairs and judges them.
    /// - Parameter pairs: Measures the given number of pairs of each case for a stage.
    /// - Returns: The findings in the order of the plan, and warnings about the judged trials.
    package func run(
        pairs: ([Case], Int, PairStage) async throws -> [Case: PairedTrials]
    ) async throws -> (findings: [Finding], warnings: [RunWarning]) {
        _ = try await pairs(cells, 1, .warmup)
        let screened = try await pairs(cells, judge.rule.n1, .screening)
        let suspects = cells.filter { judge.needsConfirmation(values(of: $0, screened[$0])) }
        let confirmed = suspects.isEmpty ? [:] : try await pairs(suspects, judge.rule.n2, .confirmation)
        let fresh = confirmed.map { ($0.key.identifier, values(of: $0.key, $0.value)) }
        let findings = judge.findings(
            of: cells.map { values(of: $0, screened[$0]) },
            confirmedBy: Dictionary(fresh) { first, _ in first }
        ).flatMap(\.self)
        let trials = cells.flatMap { cell in
            [screened[cell], confirmed[cell]].compactMap(\.self).flatMap { $0.base + $0.head }
        }
        return (findings, RunDoubts.trialDoubts(of: trials))
    }

    private func values(of cell: Case, _ pairs: PairedTrials?) -> CaseValues {
        CaseValues(cell, pairs ?? PairedTrials(), judging: metrics.judged(of: cell))
    }
}
