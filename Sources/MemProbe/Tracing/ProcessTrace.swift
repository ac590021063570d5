// SPDX-License-Identifier: Apache-2.0

/// The cost of one process of a command.
public struct ProcessTrace: Codable, Hashable, Sendable {
    /// Its position in the order in which processes started, from 1; unlike its identifier it is reproducible.
    public var order: Int
    /// The order of its parent, or `nil` for the command itself.
    public var parentOrder: Int?
    /// The name of its last program, as the kernel reports it: at most 15 bytes, chosen by the program.
    public var name: String
    /// The largest resident set of the process.
    ///
    /// It counts from the first `exec`, because before the process held its parent's memory. Without an `exec` it
    /// counts from the start, including the pages then shared with the parent.
    public var peak: PeakReading
    /// The program pages when the process ended, or `nil` if they could not be read, as of a polled process.
    ///
    /// These are the resident pages of the files mapped executable, less those that the process had written to.
    public var programPages: ByteCount?
    /// The peak without program pages, which does not depend on the page cache, or `nil` if these are unknown.
    public var netPeak: ByteCount?
    /// The resident pages without a file when the process ended, or `nil` if that could not be read.
    public var anonymousAtEnd: ByteCount?
    /// The most that a sample found in huge page pools, which are in no mark of the kernel's, or `nil` for nothing.
    ///
    /// It is part of the peak, whose error reaches to where both had their most at the same time.
    public var hugetlb: ByteCount?
    /// The largest number of threads at the same time.
    public var threads: Int
    /// True if it still ran a grace period after the end of the command, and was killed for that.
    public var outlived: Bool
    /// The time of its start, in nanoseconds of `CLOCK_MONOTONIC`.
    public var startNanoseconds: Int
    /// The time at which its end was noticed.
    public var endNanoseconds: Int
    /// True if a library named jemalloc was mapped at the last look, at its end or when polled.
    ///
    /// A jemalloc that is linked into the program itself is not detected.
    public var mapsJemalloc: Bool

    /// Creates the trace of a process.
    public init(
        order: Int, parentOrder: Int? = nil, name: String, peak: PeakReading, programPages: ByteCount? = nil,
        netPeak: ByteCount? = nil, anonymousAtEnd: ByteCount? = nil, hugetlb: ByteCount? = nil, threads: Int = 1,
        outlived: Bool = false, startNanoseconds: Int, endNanoseconds: Int, mapsJemalloc: Bool = false
    ) {
        self.order = order
        self.parentOrder = parentOrder
        self.name = name
        self.peak = peak
        self.programPages = programPages
        self.netPeak = netPeak
        self.anonymousAtEnd = anonymousAtEnd
        self.hugetlb = hugetlb
        self.threads = threads
        self.outlived = outlived
        self.startNanoseconds = startNanoseconds
        self.endNanoseconds = endNanoseconds
        self.mapsJemalloc = mapsJemalloc
    }

    private enum CodingKeys: String, CodingKey {
        case order
        case parentOrder = "parent_order"
        case name
        case peak
        case programPages = "program_bytes"
        case netPeak = "net_peak_bytes"
        case anonymousAtEnd = "anonymous_at_end_bytes"
        case hugetlb = "huge_page_pool_bytes"
        case threads
        case outlived
        case startNanoseconds = "start_ns"
        case endNanoseconds = "end_ns"
        case mapsJemalloc = "maps_jemalloc"
    }
}
