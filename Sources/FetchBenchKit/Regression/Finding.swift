// SPDX-License-Identifier: Apache-2.0

/// One case × metric, judged.
public struct Finding: Codable, Hashable, Sendable {
    /// The judgement, in one word.
    public enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
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
    public var cell: String
    /// The name of the metric, as in the column `metric`.
    public var metric: String
    /// The unit of ``base``, ``head`` and ``limit``.
    public var unit: Metric.Unit
    /// The judgement.
    public var verdict: Verdict
    /// The median of the baseline's trials.
    public var base: Double?
    /// The median of the trials judged.
    public var head: Double?
    /// The whole that changes are relative to, in the unit of the metric: the median of the base's net peaks.
    ///
    /// A growth may be none, and what is added to it is more of the process all the same.
    public var scale: Double?
    /// The change (Hodges–Lehmann) relative to ``scale``: 0.025 is +2.5 % of the process.
    public var effect: Double?
    /// The 99 % bootstrap interval of the effect, relative as well.
    public var interval: ClosedRange<Double>?
    /// The p-value that decided, corrected where several metrics were judged.
    public var p: Double?
    /// The smallest change that counts, in the unit of the metric; of a budget, its limit.
    public var limit: Double?
    /// How many trials of the base were judged.
    public var baseTrials: Int
    /// How many trials of the head were judged.
    public var headTrials: Int
    /// Whether the judgement stands on fresh trials beside those that raised it.
    public var isConfirmed: Bool
    /// The phase in which the head's peak happened.
    public var phase: Phase?
    /// The smallest change that these trials could have seen, relative to ``scale``.
    public var smallestDetectableChange: Double?
    /// The text of the budget that was judged, or `nil`.
    public var budget: String?
    /// Why, in words, where the figures alone do not say it; else empty.
    public var reason: String
    /// A command that measures this case again, or `nil`.
    public var reproduce: String?

    /// Creates a finding; what does not apply stays `nil`.
    public init(cell: String, metric: String, unit: Metric.Unit, verdict: Verdict, reason: String = "") {
        self.cell = cell
        self.metric = metric
        self.unit = unit
        self.verdict = verdict
        self.reason = reason
        baseTrials = 0
        headTrials = 0
        isConfirmed = false
    }

    private enum CodingKeys: String, CodingKey {
        case metric, unit, verdict, base, head, scale, effect, interval, p, limit, phase, budget, reason, reproduce
        case cell = "case"
        case baseTrials = "base_trials"
        case headTrials = "head_trials"
        case isConfirmed = "confirmed"
        case smallestDetectableChange = "smallest_detectable_change"
    }
}

extension Finding {
    /// The change in the unit of the metric.
    public var change: Double? {
        guard let scale, let effect else { return nil }
        return scale * effect
    }

    /// The part of the program that the finding is about; `nil` of budgets and of what no check judges.
    public var part: JudgedMetric.Part? {
        budget == nil ? JudgedMetric.part(of: metric) : nil
    }

    /// Whether something moved: confirmed, one way or the other.
    public var hasMoved: Bool { verdict == .regressed || verdict == .improved }
}

/// Everything that one check or comparison found.
public struct Judgement: Codable, Hashable, Sendable {
    /// The version of the format in this version of fetchbench.
    public static let currentSchema = 2

    /// What was asked.
    public enum Kind: String, Codable, Hashable, Sendable {
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
    public var schema: Int
    /// What wrote it.
    public var tool: String
    /// What was asked.
    public var kind: Kind
    /// What the base is called: a run, a commit, a command.
    public var baseName: String
    /// What the head is called.
    public var headName: String
    /// When it was judged, as ISO 8601 in UTC.
    public var judgedAt: String
    /// What ordered the trials and drew the bootstrap's samples.
    public var seed: UInt64
    /// The findings, worst first where they are shown, in the order of the plan here.
    public var findings: [Finding]
    /// What a reader should doubt, the environment's mismatches among it.
    public var warnings: [RunWarning]
    /// What it was measured on.
    public var environment: MachineEnvironment

    /// Creates a judgement.
    public init(
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
    public enum Answer: Int32, Codable, Hashable, Sendable {
        /// Within limits.
        case within = 0
        /// Regressed or over budget.
        case red = 1
        /// No answer: something is missing, incomparable or inconclusive.
        case none = 2
    }

    /// Red wins over no answer, no answer over green.
    public func answer(toleratingIncomparable: Bool = false) -> Answer {
        if findings.contains(where: { [.regressed, .overBudget].contains($0.verdict) }) { return .red }
        let open: [Finding.Verdict] =
            toleratingIncomparable ? [.missing, .inconclusive] : [.missing, .inconclusive, .incomparable]
        let isOpen = findings.isEmpty || findings.contains { open.contains($0.verdict) }
        return isOpen ? .none : .within
    }
}
