// SPDX-License-Identifier: Apache-2.0

/// The samples of one run of a sampler, in the order of their times, and their reliability.
///
/// Its largest value is the *sampled maximum*, which is not a peak: a spike between two samples is not in it.
public struct SampleSeries: Hashable, Sendable {
    /// The samples.
    public var samples: [Sample]
    /// The number of samples that did not fit into the buffer.
    public var dropped: Int
    /// True if the sampler was held up: a gap was longer than five intervals.
    public var isDegraded: Bool
    /// The longest time between two readings, or between the start and the first, in nanoseconds.
    public var longestGapNanoseconds: Int
    /// The largest resident set read over the limit, without program pages, for which the process was killed; `nil` if it kept the limit or
    /// had none.
    public var overLimit: ByteCount?
    /// The reason why the series ended before the sampler was stopped, or `nil`.
    ///
    /// It is ``MemProbeError/Code/noSuchProcess`` if the process ended.
    public var interruption: MemProbeError?

    /// Creates a series.
    public init(
        samples: [Sample], dropped: Int = 0, isDegraded: Bool = false, longestGapNanoseconds: Int = 0,
        overLimit: ByteCount? = nil, interruption: MemProbeError? = nil
    ) {
        self.samples = samples
        self.dropped = dropped
        self.isDegraded = isDegraded
        self.longestGapNanoseconds = longestGapNanoseconds
        self.overLimit = overLimit
        self.interruption = interruption
    }
}
