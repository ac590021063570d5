// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Compares two stored runs in one stage, as nothing can be measured again.
package struct StoredComparison: Sendable {
    private let base: RunRecord
    private let head: RunRecord
    private let comparison: BaselineComparison

    package init(base: RunRecord, head: RunRecord, allowsMismatch: Bool) {
        self.base = base
        self.head = head
        comparison = BaselineComparison(
            baseline: Baseline(of: base, after: nil), run: head, allowsMismatch: allowsMismatch,
            judge: CaseJudge(rule: .storedBaseline, seed: head.plan.seed, noise: NoiseFloors()), isRun: true)
    }

    package func judgement(tool: String, at time: String) -> Judgement {
        Judgement(
            tool: tool, kind: .storedRuns, baseName: base.identifier, headName: head.identifier, judgedAt: time,
            seed: head.plan.seed, findings: comparison.findings(confirmedBy: nil),
            warnings: comparison.warnings + base.warnings + head.warnings,
            environment: head.environment)
    }
}
