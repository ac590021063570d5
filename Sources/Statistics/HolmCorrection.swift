// SPDX-License-Identifier: Apache-2.0

/// The correction of p-values for multiple tests.
package enum HolmCorrection {
    /// Returns the adjusted p-values in the order given: rejecting those up to α errs with a probability of at most α.
    ///
    /// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 1979.
    package static func adjusted(_ values: [Double]) -> [Double] {
        precondition(values.allSatisfy { (0...1).contains($0) }, "a p-value is a probability")
        var result = values
        var largest = 0.0
        for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            largest = max(largest, min(1, Double(values.count - rank) * values[index]))
            result[index] = largest
        }
        return result
    }
}
