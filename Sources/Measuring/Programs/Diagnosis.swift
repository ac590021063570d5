// SPDX-License-Identifier: Apache-2.0

/// One thing that was checked: of the machine by `doctor`, of a trial program by `try`.
package struct Diagnosis: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case available = "ok"
        /// It works, with less precise figures.
        case limited
        case missing
        /// It breaks a rule.
        case failed
    }

    package var name: String
    package var state: State
    package var detail: String
    /// The way to fix it, or `nil`.
    package var remedy: String?

    package init(_ name: String, _ state: State, _ detail: String, remedy: String? = nil) {
        self.name = name
        self.state = state
        self.detail = detail
        self.remedy = remedy
    }
}
