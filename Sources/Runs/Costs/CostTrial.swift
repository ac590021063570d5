// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// What one process said of its costs, and when it was spawned.
package struct CostTrial: Hashable, Sendable {
    /// The instant before it was spawned, on the clock that every process of the machine shares, in nanoseconds.
    package let spawnedNanoseconds: Int
    /// Its reading at the start.
    package let start: CostReading
    /// Its reading after the first 1 KiB.
    package let fetched: CostReading

    /// Creates a trial whose readings are known.
    package init(spawnedNanoseconds: Int, start: CostReading, fetched: CostReading) {
        self.spawnedNanoseconds = spawnedNanoseconds
        self.start = start
        self.fetched = fetched
    }
}

/// Why a program has no figure: in words, without folders of the machine.
package struct CostFailure: Error, Hashable, Sendable {
    /// The words.
    package let reason: String

    /// Creates a failure.
    package init(_ reason: String) {
        self.reason = reason
    }
}
