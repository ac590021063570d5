// SPDX-License-Identifier: Apache-2.0

/// What programs cost, and under what it was measured: all that a renderer needs.
package struct CostTable: Sendable {
    /// What made it: `fetchbench 0.1.0`.
    package let tool: String
    /// When it was measured, in UTC as ISO 8601.
    package let measuredAt: String
    /// How many trials each program was to have.
    package let trials: Int
    /// What ordered them.
    package let seed: UInt64
    /// The machine.
    package let environment: MachineEnvironment
    /// The programs, in the order in which they were named.
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

    /// Whether every program has all of its trials.
    package var isComplete: Bool {
        !rows.isEmpty && rows.allSatisfy { $0.failure == nil && $0.trials.count == trials }
    }

    /// What a reader has to know beside the figures.
    package var doubts: [String] {
        rows.filter { !$0.trials.isEmpty && $0.linkage != $0.declaredLinkage && $0.declaredLinkage == .static }.map {
            "\($0.name) was given as a static build and loads Swift's libraries"
        }
    }
}
