// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// The columns that tell a case's conditions, the same in every table.
enum ConditionColumns {
    /// Each column with its text.
    static let all: [(name: String, text: @Sendable (FetchConditions) -> String)] = [
        ("concurrency", { String($0.concurrency) }),
        ("consumer_delay_ns", { String($0.consumerDelayNanoseconds) }),
        ("session", { $0.session.rawValue }),
        ("transfer", { $0.transfer.rawValue }),
        ("scheme", { $0.scheme.rawValue }),
    ]

    /// The names, in order.
    static var names: [String] { all.map(\.name) }

    /// The texts of conditions, in the order of the names.
    static func texts(of conditions: FetchConditions) -> [String] {
        all.map { $0.text(conditions) }
    }
}
