// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The standard normal distribution.
package enum NormalDistribution {
    /// Returns the probability of a value above `z`.
    ///
    /// The complementary error function stays accurate far out in the tail, where 1 − Φ(z) cancels out:
    /// Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.29.
    package static func upperTail(_ z: Double) -> Double {
        erfc(z / 2.0.squareRoot()) / 2
    }

    /// Returns the value exceeded with the probability `tail`, by bisection to the last bit.
    package static func upperQuantile(_ tail: Double) -> Double {
        precondition(tail > 0 && tail < 1, "a probability strictly between 0 and 1")
        var low = -40.0
        var high = 40.0
        while true {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { return middle }
            if upperTail(middle) > tail { low = middle } else { high = middle }
        }
    }
}
