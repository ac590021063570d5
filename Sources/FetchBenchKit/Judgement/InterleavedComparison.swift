// SPDX-License-Identifier: Apache-2.0

import Statistics

/// Compares two builds on one machine: pairs of every case, fresh pairs of those that look changed, then findings.
package struct InterleavedComparison: Sendable {
    /// One of the two.
    package struct Candidate: Sendable {
        /// What it is called in findings.
        package var name: String
        /// Its plan: the same cases as the other's.
        package var plan: Plan
        /// What its trials run in.
        package var surroundings: TrialSurroundings

        /// Creates a candidate.
        package init(name: String, plan: Plan, surroundings: TrialSurroundings) {
            self.name = name
            self.plan = plan
            self.surroundings = surroundings
        }
    }

    private let base: Candidate
    private let head: Candidate
    private let folder: RunFolder
    private let judge: CaseJudge

    /// Creates a comparison that stores its trials in a folder.
    package init(base: Candidate, head: Candidate, folder: RunFolder, judge: CaseJudge) {
        self.base = base
        self.head = head
        self.folder = folder
        self.judge = judge
    }

    /// Does the trials and judges them.
    /// - Returns: the findings in the order of the plan, and what the judged trials give reason to doubt.
    package func run(
        onEvent: @Sendable (PairedRunner.Event) -> Void
    ) async throws -> (findings: [Finding], warnings: [RunWarning]) {
        let runner = try PairedRunner(
            base: (base.plan, base.surroundings), head: (head.plan, head.surroundings), folder: folder)
        let cells = head.plan.cases.filter { $0.mode != Case.nullMode }
        _ = try await runner.pairs(of: cells, count: 1, stage: .warmup, onEvent: onEvent)
        let screened = try await runner.pairs(
            of: cells, count: judge.rule.n1, stage: .screening, onEvent: onEvent)
        let suspects = cells.filter { judge.needsConfirmation(CaseValues($0, screened[$0] ?? PairedTrials())) }
        let confirmed =
            suspects.isEmpty
            ? [:]
            : try await runner.pairs(
                of: suspects, count: judge.rule.n2, stage: .confirmation, onEvent: onEvent)
        let findings = cells.flatMap { cell in
            judge.findings(
                of: CaseValues(cell, screened[cell] ?? PairedTrials()),
                confirmation: confirmed[cell].map { CaseValues(cell, $0) })
        }
        let trials = cells.flatMap { cell in
            [screened[cell], confirmed[cell]].compactMap(\.self).flatMap { $0.base + $0.head }
        }
        return (findings, RunDoubts.trialDoubts(of: trials))
    }
}
