// SPDX-License-Identifier: Apache-2.0

/// A word or a number of a plan that makes no sense: wrong usage, to be told before anything is measured.
package struct PlanMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, of what, and what may stand there; safe for a terminal.
    package let description: String

    /// Creates a mistake.
    package init(_ description: String) {
        self.description = description
    }
}
