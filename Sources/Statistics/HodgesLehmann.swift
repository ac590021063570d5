// SPDX-License-Identifier: Apache-2.0

/// An estimator of the shift between two sides.
///
/// Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34(2), 1963:
/// the shift that is most plausible by the Mann–Whitney test.
package enum HodgesLehmann {
    /// Returns the median of all differences between a head and a base value.
    package static func shift(_ base: [Double], _ head: [Double]) -> Double {
        precondition(!base.isEmpty && !head.isEmpty, "a side without values cannot be compared")
        var differences: [Double] = []
        differences.reserveCapacity(base.count * head.count)
        for upper in head {
            for lower in base { differences.append(upper - lower) }
        }
        return OrderStatistics.median(differences)
    }
}
