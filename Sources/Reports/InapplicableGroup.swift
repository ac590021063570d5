// SPDX-License-Identifier: Apache-2.0

import Runs

/// The cases of a plan that cannot be measured for the same reason.
struct InapplicableGroup: Sendable {
    let reason: String
    /// The cases in the order of the plan; at least one.
    let cells: [Case]

    static func all(in plan: Plan) -> [InapplicableGroup] {
        plan.inapplicable.grouped(by: \.reason)
            .map { InapplicableGroup(reason: $0.key, cells: $0.elements.map(\.cell)) }
    }
}
