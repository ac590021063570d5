// SPDX-License-Identifier: Apache-2.0

import Foundation
import Statistics

/// Seeded noise of several shapes.
struct Noise {
    enum Shape: CaseIterable {
        case normal
        case laplace
        case studentT3
        case pages
    }

    private(set) var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A number from 0, exclusive, to 1.
    mutating func uniform() -> Double {
        (Double(generator.next() >> 11) + 1) / 9_007_199_254_740_992
    }

    /// A coin.
    mutating func flip() -> Bool { generator.next() >> 63 == 0 }

    /// A standard normal number: Box and Muller, 1958.
    mutating func normal() -> Double {
        (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
    }

    /// A number of a shape with a scale of about 1.
    mutating func value(_ shape: Shape) -> Double {
        switch shape {
        case .normal: normal()
        case .laplace: (flip() ? 1 : -1) * log(uniform()) / 2.0.squareRoot()
        case .studentT3: normal() / ((pow(normal(), 2) + pow(normal(), 2) + pow(normal(), 2)) / 3).squareRoot()
        case .pages: (normal() * 4).rounded() / 4
        }
    }
}
