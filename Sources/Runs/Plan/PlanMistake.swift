// SPDX-License-Identifier: Apache-2.0

/// A usage error in a plan, reported before anything is measured.
package struct PlanMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and the valid values; safe for a terminal.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
