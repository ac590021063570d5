// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The way in which a process that this one started has ended.
package enum Ending: Codable, Hashable, Sendable {
    case exited(Int)
    /// Ended by a signal that this process did not send.
    case signalled(Int)
    case killedAtLimit
    /// Killed for holding this much memory, more than its limit.
    case killedOverMemory(ByteCount)
    case wroteTooMuch(limit: Int)
    /// The kernel's reason, without paths.
    case notStarted(String)

    init(_ status: WaitStatus) {
        switch status {
        case .exited(let status): self = .exited(Int(status))
        case .killed(let signal): self = .signalled(Int(signal))
        default: self = .signalled(Int(SIGKILL))
        }
    }

    init(notStarted error: MemProbeError) {
        self = .notStarted(error.errno.map { String(cString: strerror($0)) } ?? error.code.rawValue)
    }
}

/// The end of a process, or of one piece of work of a resident one, as observed from outside.
package struct ProcessEnd: Sendable {
    package var ending: Ending
    /// The instant before it was spawned, as of ``MonotonicClock``; `nil` if unknown.
    package var spawnedNanoseconds: Int?
    /// The time from then to its end; 0 if it never started.
    package var nanoseconds: Int
    /// Its standard output, if that is kept.
    package var output: [UInt8]
    /// The end of its standard error.
    package var complaints = ChildText()
    /// Processes that outlived it and were killed; `nil` for none.
    package var leftBehind: LeftBehind?
    /// The samples taken of it.
    package var series: SampleSeries
    /// True if it was killed because the task was cancelled.
    var wasCancelled = false

    package init(
        ending: Ending, spawnedNanoseconds: Int? = nil, nanoseconds: Int = 0, output: [UInt8] = [],
        series: SampleSeries = SampleSeries(samples: [])
    ) {
        self.ending = ending
        self.spawnedNanoseconds = spawnedNanoseconds
        self.nanoseconds = nanoseconds
        self.output = output
        self.series = series
    }

    func unlessCancelled() throws(CancellationError) -> ProcessEnd {
        if wasCancelled { throw CancellationError() }
        return self
    }
}
