// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import OperatingSystem
package import Runs

/// How a process ended, as the harness saw it.
package struct ProcessEnd: Sendable {
    /// How it ended.
    package var ending: Ending
    /// What it wrote to standard output.
    package var output: [UInt8]
    /// Why it ended, as far as it said so on standard error: see ``LastWords``.
    package var complaint: String
    /// The instant before it was spawned, on the monotonic clock; `nil` where nobody looked.
    package var spawnedNanoseconds: Int?
    /// From spawning it to its end.
    package var nanoseconds: Int
    /// What the harness sampled of it.
    package var series: SampleSeries
    /// What the embedded origin sent meanwhile, in the order of time; `nil` where nobody noted it.
    package var sent: [SentBytes]?
    /// What still ran when it had ended by itself, and was killed; `nil` for nothing.
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
