// SPDX-License-Identifier: Apache-2.0

/// The two sides of a comparison.
package enum ComparedSide: String, Codable, Hashable, Sendable {
    /// What is compared with.
    case base
    /// What is judged.
    case head
}

/// Values that no statistics can be made of.
package enum StatisticsError: Error, Hashable, Sendable {
    /// There is no value at all on this side.
    case empty(ComparedSide)
    /// The value at this index is infinite or no number.
    case notFinite(ComparedSide, index: Int)
    /// The whole that changes are relative to is zero, negative or no number.
    case noScale(Double)
    /// A line needs more points than these.
    case tooFewPoints(found: Int, needed: Int)
    /// There are not as many ordinates as abscissas.
    case unevenPoints(abscissas: Int, ordinates: Int)
    /// The point at this index has a coordinate that is infinite or no number.
    case pointNotFinite(index: Int)
    /// All points have the same abscissa, so that no line goes through them.
    case verticalLine
}
