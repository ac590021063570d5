// SPDX-License-Identifier: Apache-2.0

/// One cost and its bar.
struct Line {
    /// What costs it.
    var name: String
    /// The cost, or `nil` where it could not be measured here.
    var cost: Double?
    /// The most it may cost, in the same unit.
    var bar: Double
    /// The unit of both.
    var unit: String
    /// How it was measured, or what is missing.
    var note: String

    /// Whether the bar is kept; `nil` where nothing was measured.
    var isMet: Bool? {
        cost.map { $0 <= bar }
    }
}
