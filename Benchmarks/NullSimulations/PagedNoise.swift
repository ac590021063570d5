// SPDX-License-Identifier: Apache-2.0

import Glibc
import Statistics

/// Seeded noise of sizes in whole pages, of which many are equal, and wide enough that no threshold keeps it out.
struct PagedNoise {
    /// How sizes are spread.
    enum Shape: CaseIterable {
        /// Two sizes, one of them in three of ten runs.
        case twoLevels
        /// Four sizes, each as often as the others.
        case fourLevels
        /// A bell of some thirty sizes.
        case bell
        /// A bell with a run now and then that takes far more.
        case spikes
    }

    /// The size that every command holds without noise, in bytes.
    static let usual = 41_943_040.0
    /// A shift above all of the noise, in bytes.
    static let apart = 400.0 * page

    /// One step of sizes: a page of a chunk, 1 MiB.
    private static let page = 1_048_576.0

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A difference from the usual size.
    mutating func value(_ shape: Shape) -> Double {
        switch shape {
        case .twoLevels: uniform() < 0.3 ? 4 * Self.page : 0
        case .fourLevels: (uniform() * 4).rounded(.down) * 2 * Self.page
        case .bell: (normal() * 5).rounded() * Self.page
        case .spikes: (uniform() < 0.1 ? 40 : (normal() * 3).rounded()) * Self.page
        }
    }

    /// A number from 0, exclusive, to 1.
    private mutating func uniform() -> Double {
        (Double(generator.next() >> 11) + 1) / 9_007_199_254_740_992
    }

    /// A standard normal number: Box and Muller, 1958.
    private mutating func normal() -> Double {
        (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
    }
}
