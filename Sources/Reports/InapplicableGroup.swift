// SPDX-License-Identifier: Apache-2.0

import Runs

/// The cases of a plan that cannot be measured for the same reason.
struct InapplicableGroup: Sendable {
    let reason: String
    /// The cases in the order of the plan; at least one.
    let cells: [Case]

    /// Returns the groups of a plan, ordered by their first cases.
    static func all(in plan: Plan) -> [InapplicableGroup] {
        var order: [String] = []
        var cells: [String: [Case]] = [:]
        for skipped in plan.inapplicable {
            if cells[skipped.reason] == nil { order.append(skipped.reason) }
            cells[skipped.reason, default: []].append(skipped.cell)
        }
        return order.map { InapplicableGroup(reason: $0, cells: cells[$0] ?? []) }
    }
}
