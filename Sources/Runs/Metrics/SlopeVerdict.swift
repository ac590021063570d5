// SPDX-License-Identifier: Apache-2.0

import Statistics
import Texts

/// What the slope of a sweep of sizes means, in words.
package enum SlopeVerdict: Hashable, Sendable {
    /// The size of the asset does not matter.
    case constant
    /// So many copies of the asset are held, a whole number of them.
    case copies(Int)
    /// So many, and no whole number.
    case share(Double)
    /// Steeper with a slow consumer than with one that keeps up: what has arrived and was not consumed piles up.
    case unbounded
    /// The interval is too wide to tell.
    case undecided

    /// Reads a slope by its interval.
    /// - Parameters:
    ///   - line: the line through the peaks.
    ///   - fast: the same with a consumer that keeps up, where that was measured.
    ///   - isSlow: whether the consumer was slow.
    init(_ line: RobustRegression, besides fast: RobustRegression?, isSlow: Bool) {
        let interval = line.slopeInterval
        if isSlow, let fast, interval.lowerBound > fast.slopeInterval.upperBound + SizeSweep.pile {
            self = .unbounded
        } else {
            self.init(line)
        }
    }

    /// Reads a slope by its interval alone.
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

    /// The words of tables and of the column `verdict`.
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
