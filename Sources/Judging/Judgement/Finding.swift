// SPDX-License-Identifier: Apache-2.0

package import Runs
package import TrialKit

/// One case × metric, judged.
package struct Finding: Codable, Hashable, Sendable {
    /// The judgement, in one word.
    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        /// It takes less than before, confirmed: reported, never ratcheted.
        case improved
        /// Nothing that these trials could see has changed.
        case unchanged
        /// It takes more than before, confirmed.
        case regressed
        /// It breaks a budget, whatever it took before.
        case overBudget = "over_budget"
        /// The two sides were not measured alike.
        case incomparable
        /// The trials are too few or too noisy to see a change of the size that matters.
        case inconclusive
        /// There is nothing to judge on one side.
        case missing
    }

    /// The case, as in the column `case`; a budget that matches no case has its own scope here.
    package var cell: String
    /// The name of the metric, as in the column `metric`.
    package var metric: String
    /// The unit of ``base``, ``head`` and ``limit``.
    package var unit: Metric.Unit
    /// The judgement.
    package var verdict: Verdict
    /// The median of the baseline's trials.
    package var base: Double?
    /// The median of the trials judged.
    package var head: Double?
    /// The whole that changes are relative to, in the unit of the metric: the median of the base's net peaks.
    ///
    /// A growth may be none, and what is added to it is more of the process all the same. It is 1 of a scenario's figure,
    /// which is no part of a whole: its changes are in the unit of the metric.
    package var scale: Double?
    /// The change (Hodges–Lehmann) relative to ``scale``: 0.025 is +2.5 % of the process.
    package var effect: Double?
    /// The 99 % bootstrap interval of the effect, relative as well.
    package var interval: ClosedRange<Double>?
    /// The p-value that decided, corrected where several metrics were judged.
    package var p: Double?
    /// The smallest change that counts, in the unit of the metric; of a budget, its limit.
    package var limit: Double?
    /// How many trials of the base were judged.
    package var baseTrials: Int
    /// How many trials of the head were judged.
    package var headTrials: Int
    /// Whether the judgement stands on fresh trials beside those that raised it.
    package var isConfirmed: Bool
    /// The phase in which the head's peak happened; `nil` of a plain command, which has none.
    package var phase: Phase?
    /// The part of the program that it is about; `nil` of budgets and of what no check judges.
    package var part: JudgedMetric.Part?
    /// Which way the metric is better; `nil` for lower.
    package var better: Metric.Direction?
    /// The smallest change that these trials could have seen, relative to ``scale``.
    package var smallestDetectableChange: Double?
    /// The text of the budget that was judged, or `nil`.
    package var budget: String?
    /// Why, in words, where the figures alone do not say it; else empty.
    package var reason: String
    /// A command that measures this case again, or `nil`.
    package var reproduce: String?
    /// Who holds what has changed, or `nil` where that was not found out.
    package var cause: Cause?

    /// Creates a finding; what does not apply stays `nil`.
    package init(
        cell: String, metric: String, unit: Metric.Unit, part: JudgedMetric.Part?, verdict: Verdict, reason: String = ""
    ) {
        self.cell = cell
        self.part = part
        self.metric = metric
        self.unit = unit
        self.verdict = verdict
        self.reason = reason
        baseTrials = 0
        headTrials = 0
        isConfirmed = false
    }

    private enum CodingKeys: String, CodingKey {
        case metric, unit, verdict, base, head, scale, effect, interval, p, limit, phase, budget, reason, reproduce,
            cause, part, better
        case cell = "case"
        case baseTrials = "base_trials"
        case headTrials = "head_trials"
        case isConfirmed = "confirmed"
        case smallestDetectableChange = "smallest_detectable_change"
    }
}

extension Finding {
    /// The change in the unit of the metric.
    package var change: Double? {
        guard let scale, let effect else { return nil }
        return scale * effect
    }

    /// Whether something moved: confirmed, one way or the other.
    package var hasMoved: Bool { verdict == .regressed || verdict == .improved }
}

/// Everything that one check or comparison found.
package struct Judgement: Codable, Hashable, Sendable {
    /// The version of the format in this version of fetchbench.
    package static let currentSchema = 2

    /// What was asked.
    package enum Kind: String, Codable, Hashable, Sendable {
        /// Budgets and a stored baseline.
        case check
        /// Two stored runs.
        case storedRuns = "stored_runs"
        /// Two builds or commands, interleaved on this machine.
        case interleaved
        /// One build against itself.
        case calibration
    }

    /// The version of the format; an unknown one is refused.
    package var schema: Int
    /// What wrote it.
    package var tool: String
    /// What was asked.
    package var kind: Kind
    /// What the base is called: a run, a commit, a command.
    package var baseName: String
    /// What the head is called.
    package var headName: String
    /// When it was judged, as ISO 8601 in UTC.
    package var judgedAt: String
    /// What ordered the trials and drew the bootstrap's samples.
    package var seed: UInt64
    /// The findings, worst first where they are shown, in the order of the plan here.
    package var findings: [Finding]
    /// What a reader should doubt, the environment's mismatches among it.
    package var warnings: [RunWarning]
    /// What it was measured on.
    package var environment: MachineEnvironment
    /// Whether who reads it takes what cannot be compared for no failure; stored nowhere.
    package var toleratesIncomparable = false
    /// What it was made of, where that is at hand; stored nowhere.
    package var evidence: JudgementEvidence?

    /// Creates a judgement.
    package init(
        tool: String, kind: Kind, baseName: String, headName: String, judgedAt: String, seed: UInt64,
        findings: [Finding], warnings: [RunWarning], environment: MachineEnvironment
    ) {
        schema = Self.currentSchema
        self.tool = tool
        self.kind = kind
        self.baseName = baseName
        self.headName = headName
        self.judgedAt = judgedAt
        self.seed = seed
        self.findings = findings
        self.warnings = warnings
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, kind, seed, findings, warnings, environment
        case baseName = "base_name"
        case headName = "head_name"
        case judgedAt = "judged_at"
    }
}

extension Judgement {
    /// How a judgement ends, as the exit status says it.
    package enum Answer: Int32, Codable, Hashable, Sendable {
        /// Within limits.
        case within = 0
        /// Regressed or over budget.
        case red = 1
        /// No answer: something is missing, incomparable or inconclusive.
        case none = 2
    }

    /// Red wins over no answer, no answer over green.
    package var answer: Answer {
        if findings.contains(where: { [.regressed, .overBudget].contains($0.verdict) }) { return .red }
        let open: [Finding.Verdict] =
            toleratesIncomparable ? [.missing, .inconclusive] : [.missing, .inconclusive, .incomparable]
        let isOpen = findings.isEmpty || findings.contains { open.contains($0.verdict) }
        return isOpen ? .none : .within
    }
}
