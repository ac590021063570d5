// SPDX-License-Identifier: Apache-2.0

/// The two sides of a comparison.
package enum ComparedSide: String, Codable, Hashable, Sendable {
    case base
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
    case unevenPoints(abscissas: Int, ordinates: Int)
    /// The point at this index has a coordinate that is infinite or no number.
    case pointNotFinite(index: Int)
    /// All points have the same abscissa, so that no line goes through them.
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

    /// A number as people write it: without a fraction where it has none.
    private static func text(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
