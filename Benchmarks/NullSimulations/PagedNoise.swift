// SPDX-License-Identifier: Apache-2.0

import Glibc
import Statistics

/// Seeded noise in whole pages, with many equal values, and wide enough to exceed every threshold.
struct PagedNoise {
    /// A distribution of sizes.
    enum Shape: CaseIterable {
        /// Two sizes, the larger in three of ten runs.
        case twoLevels
        /// Four sizes, equally frequent.
        case fourLevels
        /// A normal distribution of some thirty sizes.
        case bell
        /// A normal distribution in which one of ten runs takes far more.
        case spikes
    }

    /// The size without noise, in bytes.
    static let usual = 41_943_040.0
    /// A shift above all of the noise, in bytes.
    static let apart = 400.0 * page

    /// The step of sizes, 1 MiB.
    private static let page = 1_048_576.0

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Returns a difference from the usual size.
    mutating func value(_ shape: Shape) -> Double {
        switch shape {
        case .twoLevels: uniform() < 0.3 ? 4 * Self.page : 0
        case .fourLevels: (uniform() * 4).rounded(.down) * 2 * Self.page
        case .bell: (normal() * 5).rounded() * Self.page
        case .spikes: (uniform() < 0.1 ? 40 : (normal() * 3).rounded()) * Self.page
        }
    }

    /// Returns a value of a distribution without its steps, scaled to a mean of 0 and a standard deviation of 1.
    mutating func standardized(_ shape: Shape) -> Double {
        switch shape {
        case .twoLevels: ((uniform() < 0.3 ? 1 : 0) - 0.3) / 0.21.squareRoot()
        case .fourLevels: ((uniform() * 4).rounded(.down) - 1.5) / 1.25.squareRoot()
        case .bell: normal()
        case .spikes: uniform() < 0.1 ? 3 * abs(normal()) - 2.4 : normal() * 0.6
        }
    }

    /// Returns a number from 0, exclusive, to 1.
    private mutating func uniform() -> Double {
        (Double(generator.next() >> 11) + 1) / 9_007_199_254_740_992
    }

    /// Returns a standard normal number (Box and Muller, 1958).
    private mutating func normal() -> Double {
        (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
    }
}
