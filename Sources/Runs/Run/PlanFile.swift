// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A stored plan, so that every machine measures the same one whatever its suites and versions of files are.
package struct PlanFile: Codable, Hashable, Sendable {
    package static let currentSchema = 1

    package var schema = Self.currentSchema
    package var tool: String
    /// The SHA-256 of the plan, which names it in messages and detects edits.
    package var hash: String
    package var reproduce: String
    package var suite: String?
    package var budgets: [String]?
    package var noise: NoiseFloors?
    package var plan: Plan

    package init(tool: String, reproduce: String, suite: String?, plan: Plan) throws {
        (self.tool, self.reproduce, self.suite, self.plan) = (tool, reproduce, suite, plan)
        hash = try plan.hash()
    }

    init(of run: RunRecord, _ plan: Plan) throws {
        try self.init(tool: run.tool, reproduce: run.reproduce, suite: run.suite, plan: plan)
        (budgets, noise) = (run.budgets, run.noise)
    }

    package func text() throws -> String { try RunCoding.readableText(of: self) }

    /// Reads a stored plan.
    package static func load(_ path: String) throws -> PlanFile {
        try load(path) { reason in
            FetchBenchError(
                "plan \(SafeText.forTerminal(path)): \(reason)", remedy: "Write it again with `fetchbench plan`")
        }
    }

    static func load(_ path: String, refuse: (String) -> FetchBenchError) throws -> PlanFile {
        let data = try WholeFile.data(at: path, name: path, allowsPipe: true)
        let file = try StoredDocument.decode(PlanFile.self, from: data, schema: currentSchema, refusal: refuse)
        var fields = FieldChecks()
        fields.check(file.plan, "plan")
        if let mistake = fields.mistakes.first { throw refuse(mistake.description) }
        guard try file.plan.hash() == file.hash else {
            throw refuse("its hash is not that of its plan: it was edited, or written by another version")
        }
        return file
    }

    /// The time that a plan takes, from one trial of each case.
    package struct PlanEstimate: Hashable, Sendable {
        package struct Share: Hashable, Sendable {
            package let shards: Int
            package let trials: Int
            package let seconds: Double
        }

        package let shares: [Share]

        /// - Parameter seconds: The duration of a trial of each case, with what lies between two trials.
        package init(of plan: Plan, seconds: [Case: Double]) {
            var counts = [1]
            while let last = counts.last, last < plan.cases.count { counts.append(min(2 * last, plan.cases.count)) }
            shares = counts.map { count in
                let shards = Shard.assignments(of: plan.cases.map(\.identifier), count: count)
                let all = Dictionary(grouping: plan.cases) { shards[$0.identifier] }.values
                let times = all.map { cells in cells.reduce(0) { $0 + (seconds[$1] ?? 0) * Double(plan.trials) } }
                return Share(
                    shards: count, trials: (all.map(\.count).max() ?? 0) * plan.trials, seconds: times.max() ?? 0)
            }
        }
    }
}
