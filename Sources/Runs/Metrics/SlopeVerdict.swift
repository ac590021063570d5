// SPDX-License-Identifier: Apache-2.0

import Statistics
import Texts

/// The interpretation of the slope of a sweep of sizes.
package enum SlopeVerdict: Hashable, Sendable {
    /// The peak is independent of the size of the asset.
    case constant
    /// The slope is a whole number of copies of the asset.
    case copies(Int)
    /// The slope is a fraction of copies.
    case share(Double)
    /// The slope is steeper with a slow consumer: unconsumed data piles up.
    case unbounded
    /// The interval of the slope is too wide.
    case undecided

    /// Interprets a slope by its interval.
    /// - Parameter fast: The line with a consumer that keeps up, or `nil` if that was not measured.
    init(_ line: RobustRegression, besides fast: RobustRegression?, isSlow: Bool) {
        let interval = line.slopeInterval
        if isSlow, let fast, interval.lowerBound > fast.slopeInterval.upperBound + SizeSweep.pile {
            self = .unbounded
        } else {
            self.init(line)
        }
    }

    /// Interprets a slope by its interval, without comparing it.
    init(_ line: RobustRegression) {
        let interval = line.slopeInterval
        let nearest = max(0, line.slope.rounded())
        let isWhole =
            interval.lowerBound >= nearest - SizeSweep.tolerance
            && interval.upperBound <= nearest + SizeSweep.tolerance
        if interval.upperBound - interval.lowerBound > SizeSweep.widestInterval {
            self = .undecided
        } else if isWhole, nearest < 1_000_000 {
            self = nearest == 0 ? .constant : .copies(Int(nearest))
        } else {
            self = .share(line.slope)
        }
    }

    /// The text of tables and of the column `verdict`.
    package var words: String {
        switch self {
        case .constant: "constant"
        case .copies(1): "one copy"
        case .copies(2): "two copies"
        case .copies(let count): "\(count) copies"
        case .share(let copies): "\(ByteText.fixed(copies, places: 2)) copies"
        case .unbounded: "grows without bound with a slow consumer"
        case .undecided: "undecided: the interval is too wide"
        }
    }
}
