// SPDX-License-Identifier: Apache-2.0

/// The two sides of a comparison.
package enum ComparedSide: String, Codable, Hashable, Sendable {
    case base
    case head
}

/// An error in the values of a statistic.
package enum StatisticsError: Error, Hashable, Sendable {
    case empty(ComparedSide)
    /// The value at this index is not finite.
    case notFinite(ComparedSide, index: Int)
    /// The reference of relative changes is zero, negative or not a number.
    case noScale(Double)
    case tooFewPoints(found: Int, needed: Int)
    case unevenPoints(abscissas: Int, ordinates: Int)
    /// The point at this index has a coordinate that is not finite.
    case pointNotFinite(index: Int)
    /// All points have the same abscissa.
    case verticalLine
}

extension StatisticsError: CustomStringConvertible {
    /// The error as a sentence without its full stop.
    package var description: String {
        switch self {
        case .empty(let side): "the \(side.rawValue) has no values"
        case .notFinite(let side, let index): "value \(index + 1) of the \(side.rawValue) is infinite or not a number"
        case .noScale(let scale): "changes are relative to a whole above 0, and that of the base is \(Self.text(scale))"
        case .tooFewPoints(let found, let needed): "a line needs \(needed) points, and there are \(found)"
        case .unevenPoints(let abscissas, let ordinates):
            "each point has an abscissa and an ordinate, and there are \(abscissas) of the one and \(ordinates) of the other"
        case .pointNotFinite(let index): "point \(index + 1) has a coordinate that is infinite or not a number"
        case .verticalLine: "all points have the same abscissa, so that no line can be drawn through them"
        }
    }

    /// Returns a number without a fraction if it is whole.
    private static func text(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
