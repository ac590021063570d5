// SPDX-License-Identifier: Apache-2.0

import Statistics
package import TrialKit

/// One execution of one plan on one machine: its head, which `run.json` keeps, and its trials, which `trials.jsonl` does.
package struct RunRecord: Codable, Hashable, Sendable {
    /// The version of the format and of the columns; another one is refused.
    package static let currentSchema = 3

    /// What was done.
    package enum Kind: String, Codable, Hashable, Sendable {
        /// A plan was run.
        case run
        /// A plan was run to be judged by budgets and a baseline.
        case check
        /// Two sides were run pair by pair, to be judged.
        case comparison
        /// The same with one build on both sides, to know the machine.
        case calibration

        /// The subcommand that does it, and resumes it.
        package var command: String {
            switch self {
            case .run: "run"
            case .check: "check"
            case .comparison: "compare"
            case .calibration: "calibrate"
            }
        }

        /// Whether its trials are those of two sides.
        package var isPaired: Bool { self == .comparison || self == .calibration }
    }

    /// The version of the format.
    package var schema = Self.currentSchema
    /// What was done.
    package var kind: Kind
    /// The name of the run's folder.
    package var identifier: String
    /// What wrote it: `fetchbench 0.1.0`.
    package var tool: String
    /// When it began, as ISO 8601 in UTC.
    package var startedAt: String
    /// When it ended, or `nil` where it was interrupted.
    package var finishedAt: String?
    /// Arguments that do the same again.
    package var reproduce: String
    /// What the suite calls itself, where one was run.
    package var suite: String?
    /// What was measured.
    package var plan: Plan
    /// Which files the programs were that were measured; `nil` of pairs, whose sides have their own.
    package var programs: [ProgramFile]?
    /// The two sides of pairs; `nil` in a run of one plan.
    package var comparison: Comparison?
    /// The budgets that a check judges by; `nil` elsewhere.
    package var budgets: [String]?
    /// The scenarios that the measured programs declare, without what only who asks for one has to know; `nil` where
    /// there are none.
    package var scenarios: [ScenarioDeclaration]?
    /// The noise floors of the suite, where it has any.
    package var noise: NoiseFloors?
    /// On what it was measured.
    package var environment: MachineEnvironment
    /// What a reader should doubt.
    package var warnings: [RunWarning] = []
    /// The trials, in the order in which they were done; empty while the run goes on, and no part of the coded head.
    package var trials: [Trial] = []

    /// Creates the record of a session that begins.
    package init(
        _ kind: Kind = .run, identifier: String, tool: String, startedAt: String, reproduce: String, suite: String?,
        plan: Plan,
        environment: MachineEnvironment
    ) {
        self.kind = kind
        self.identifier = identifier
        self.tool = tool
        self.startedAt = startedAt
        self.reproduce = reproduce
        self.suite = suite
        self.plan = plan
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case schema, kind, identifier, tool, reproduce, suite, plan, programs, comparison, budgets, scenarios, noise,
            environment, warnings
        case startedAt = "started_at"
        case finishedAt = "finished_at"
    }

    /// The trials of a case.
    package func trials(of cell: Case) -> [Trial] {
        trials.filter { $0.cell == cell }
    }

    /// How many trials there will be at most: pairs have two sides, one that is thrown away, and fresh ones where a case
    /// looks changed.
    package var mostTrials: Int {
        switch kind {
        case .run, .check: plan.cases.count * plan.trials
        case .calibration: plan.cases.count * 2 * (1 + plan.trials)
        case .comparison: plan.cases.count * 2 * (1 + plan.trials + JudgementRule.interleaved.n2)
        }
    }

    /// The cases without a single completed trial, or with fewer than half of what was planned.
    package var casesShortOfTrials: [Case] {
        plan.cases.filter { cell in
            let completed = trials.count { $0.cell == cell && $0.isCompleted }
            return completed * 2 < plan.trials || completed == 0
        }
    }
}

/// The two sides of a comparison, as its record keeps them.
package struct Comparison: Codable, Hashable, Sendable {
    /// One side.
    package struct Candidate: Codable, Hashable, Sendable {
        /// What it is called in findings; a command without credentials and folders.
        package var name: String
        /// Which files its programs are, so that an interrupted comparison is not gone on with by others.
        package var programs: [ProgramFile]

        /// Creates one.
        package init(name: String, programs: [ProgramFile]) {
            self.name = name
            self.programs = programs
        }
    }

    /// What it is compared with.
    package var base: Candidate
    /// What is judged.
    package var head: Candidate

    /// Creates one.
    package init(base: Candidate, head: Candidate) {
        self.base = base
        self.head = head
    }
}

/// Something that a reader of a run should doubt, and what to do about it.
package struct RunWarning: Codable, Hashable, Sendable {
    /// What is doubtful, of what and why.
    package var text: String
    /// What would mend it, or `nil`.
    package var remedy: String?

    /// Creates a warning.
    package init(_ text: String, remedy: String? = nil) {
        self.text = text
        self.remedy = remedy
    }
}
