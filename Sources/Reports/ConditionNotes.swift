// SPDX-License-Identifier: Apache-2.0

import Runs

/// Notes on the unusual conditions in a plan.
struct ConditionNotes: Sendable {
    /// A sentence per line, each with its line feed.
    let text: String

    init(_ plan: Plan) {
        let conditions = Set(plan.cases.map(\.conditions))
        let unusual = Dimension.all.filter { dimension in conditions.contains { dimension.isUnusual(in: $0) } }
        text = unusual.map { $0.note.joined(separator: " ") }.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
    }
}
