// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Statistics

/// Judges a run by a stored baseline; what looks changed is measured again before it is said.
struct BaselineSession {
    let baseline: Baseline
    let run: RunRecord
    let request: PlanRequest
    let allowsMismatch: Bool
    let verdict: VerdictOptions

    /// The findings, and the mismatches that are no obstacle.
    func judged() async throws -> (findings: [Finding], warnings: [RunWarning]) {
        let comparison = BaselineComparison(
            baseline: baseline, run: run, allowsMismatch: allowsMismatch,
            judge: CaseJudge(rule: .storedBaseline, seed: run.plan.seed, noise: request.noise))
        let suspects = comparison.suspects
        guard !suspects.isEmpty else { return (comparison.findings(confirmedBy: nil), comparison.warnings) }
        var plan = run.plan
        plan.cases = suspects
        plan.trials = JudgementRule.storedBaseline.n2
        plan.seed = run.plan.seed &+ 1
        let session = try await RunSession(confirming: run, plan: plan, request: request, output: verdict.output)
        let confirmation = try await session.measured(isQuiet: verdict.quiet)
        return (comparison.findings(confirmedBy: confirmation), comparison.warnings)
    }
}
