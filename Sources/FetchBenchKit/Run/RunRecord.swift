// SPDX-License-Identifier: Apache-2.0

/// One execution of one plan on one machine, as `run.json` keeps it.
package struct RunRecord: Codable, Hashable, Sendable {
    /// The version of the format and of the columns in this version of fetchbench.
    package static let currentSchema = 1

    /// The version of the format; an unknown one is refused.
    package var schema: Int
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
    /// On what it was measured.
    package var environment: MachineEnvironment
    /// What a reader should doubt.
    package var warnings: [RunWarning]
    /// The trials, in the order in which they were done; empty while the run goes on.
    package var trials: [Trial]

    /// Creates the record of a run that begins.
    package init(
        identifier: String, tool: String, startedAt: String, reproduce: String, suite: String?, plan: Plan,
        environment: MachineEnvironment
    ) {
        schema = Self.currentSchema
        self.identifier = identifier
        self.tool = tool
        self.startedAt = startedAt
        self.reproduce = reproduce
        self.suite = suite
        self.plan = plan
        self.environment = environment
        warnings = []
        trials = []
    }

    private enum CodingKeys: String, CodingKey {
        case schema, identifier, tool, reproduce, suite, plan, environment, warnings, trials
        case startedAt = "started_at"
        case finishedAt = "finished_at"
    }

    /// The trials of a case.
    package func trials(of cell: Case) -> [Trial] {
        trials.filter { $0.cell == cell }
    }

    /// The cases without a single completed trial, or with fewer than half of what was planned.
    package var casesShortOfTrials: [Case] {
        plan.cases.filter { cell in
            let completed = trials.count { $0.cell == cell && $0.isCompleted }
            return completed * 2 < plan.trials || completed == 0
        }
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
