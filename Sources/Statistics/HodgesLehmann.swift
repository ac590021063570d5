// SPDX-License-Identifier: Apache-2.0

/// By how much one side's values lie above the other's.
///
/// Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34(2), 1963:
/// the shift that the Mann–Whitney test would find most plausible.
package enum HodgesLehmann {
    /// The median of all differences of a head and a base value; both sides have values.
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
