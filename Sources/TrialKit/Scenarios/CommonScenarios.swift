// SPDX-License-Identifier: Apache-2.0

/// The scenarios that every trial program plays, with each of its modes.
package enum CommonScenarios {
    /// The scenarios, in the order of `fetchbench list`.
    package static let all: [any Scenario] = [RepeatScenario(), ConcurrencyScenario(), ProxyScenario()]

    /// The scenarios that none of a program's own replaces.
    package static func all(besides own: [any Scenario]) -> [any Scenario] {
        let replaced = Set(own.map(\.name))
        return all.filter { !replaced.contains($0.name) }
    }
}
