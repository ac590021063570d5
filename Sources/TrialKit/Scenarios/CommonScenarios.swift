// SPDX-License-Identifier: Apache-2.0

package enum CommonScenarios {
    /// The scenarios, in the order of `fetchbench list`.
    package static let all: [any Scenario] = [RepeatScenario(), ConcurrencyScenario(), ProxyScenario()]

    /// Returns the scenarios of a program; one of its own replaces the common one of the same name.
    ///
    /// The order is that of the columns of tables, which keep their places.
    package static func all(with own: [any Scenario]) -> [any Scenario] {
        let replaced = Set(own.map(\.name))
        let common = all.filter { !replaced.contains($0.name) }
        return common.prefix(1) + own + common.dropFirst()
    }
}
