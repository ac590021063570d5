// SPDX-License-Identifier: Apache-2.0

import Runs

/// What a reader has to know of the conditions in a plan; nothing where they are the usual ones.
struct ConditionNotes: Sendable {
    /// One sentence a line, each with its end.
    let text: String

    init(_ plan: Plan) {
        let conditions = Set(plan.cases.map(\.conditions))
        let unusual = Dimension.all.filter { dimension in conditions.contains { dimension.isUnusual(in: $0) } }
        text = unusual.flatMap(\.note).map { $0 + "\n" }.joined()
    }
}
