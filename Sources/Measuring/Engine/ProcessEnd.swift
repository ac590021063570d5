// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import OperatingSystem
package import Runs

/// The end of a process, as observed by the harness.
package struct ProcessEnd: Sendable {
    package var ending: Ending
    /// Its standard output.
    package var output: [UInt8]
    /// The reason that it gave on standard error (see ``LastWords``).
    package var complaint: String
    /// The instant before it was spawned, on the monotonic clock; `nil` if unknown.
    package var spawnedNanoseconds: Int?
    /// The time from spawn to end.
    package var nanoseconds: Int
    /// The samples taken by the harness.
    package var series: SampleSeries
    /// The bytes that the embedded origin sent meanwhile, in the order of time; `nil` if not recorded.
    package var sent: [SentBytes]?
    /// Processes that outlived it and were killed; `nil` for none.
    package var leftBehind: LeftBehind?

    package init(
        ending: Ending, output: [UInt8], complaint: String, spawnedNanoseconds: Int? = nil, nanoseconds: Int,
        series: SampleSeries, sent: [SentBytes]? = nil, leftBehind: LeftBehind? = nil
    ) {
        self.leftBehind = leftBehind
        self.ending = ending
        self.output = output
        self.complaint = complaint
        self.spawnedNanoseconds = spawnedNanoseconds
        self.nanoseconds = nanoseconds
        self.series = series
        self.sent = sent
    }
}
