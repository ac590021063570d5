// SPDX-License-Identifier: Apache-2.0

/// The costs of programs with the conditions of the measurement, for renderers.
package struct CostTable: Sendable {
    /// The program that wrote it: `fetchbench 0.1.0`.
    package let tool: String
    /// The start of the measurement, as ISO 8601 in UTC.
    package let measuredAt: String
    /// The planned trials of each program.
    package let trials: Int
    /// The seed for the order of trials.
    package let seed: UInt64
    package let environment: MachineEnvironment
    /// The programs, in the order of the arguments.
    package let rows: [CostRow]

    package init(
        tool: String, measuredAt: String, trials: Int, seed: UInt64, environment: MachineEnvironment, rows: [CostRow]
    ) {
        self.tool = tool
        self.measuredAt = measuredAt
        self.trials = trials
        self.seed = seed
        self.environment = environment
        self.rows = rows
    }

    /// True if every program has all of its trials.
    package var isComplete: Bool {
        !rows.isEmpty && rows.allSatisfy { $0.failure == nil && $0.trials.count == trials }
    }

    /// The warnings for readers of the figures.
    package var doubts: [String] {
        rows.filter { !$0.trials.isEmpty && $0.linkage != $0.declaredLinkage && $0.declaredLinkage == .static }.map {
            "\($0.name) was given as a static build and loads Swift's libraries"
        }
    }
}
