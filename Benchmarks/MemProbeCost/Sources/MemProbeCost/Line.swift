// SPDX-License-Identifier: Apache-2.0

/// A measured cost and its bar, both in the same unit.
struct Line {
    var name: String
    /// The cost, or `nil` if it could not be measured here.
    var cost: Double?
    var bar: Double
    var unit: String
    /// How it was measured, or what is missing.
    var note: String

    /// Indicates whether the bar is kept; `nil` if nothing was measured.
    var isMet: Bool? { cost.map { $0 <= bar } }
}
