// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The cost report of one process, with the time of its spawning.
package struct CostTrial: Hashable, Sendable {
    /// The instant before spawning, on the monotonic clock that all processes share.
    package let spawnedNanoseconds: Int
    package let start: CostReading
    /// The reading after the first 1 KiB.
    package let fetched: CostReading

    package init(spawnedNanoseconds: Int, start: CostReading, fetched: CostReading) {
        self.spawnedNanoseconds = spawnedNanoseconds
        self.start = start
        self.fetched = fetched
    }
}

/// The reason why a program has no figures, without paths of the machine.
package struct CostFailure: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
