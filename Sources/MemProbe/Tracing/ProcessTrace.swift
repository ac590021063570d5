// SPDX-License-Identifier: Apache-2.0

/// What one process of a command cost.
public struct ProcessTrace: Codable, Hashable, Sendable {
    /// Its place in the order in which processes began, from 1; not the kernel's number, which differs every time.
    public var order: Int
    /// The order of the process that began it, or `nil` for the command itself.
    public var parentOrder: Int?
    /// The name of the program it last became, as the kernel has it: at most 15 bytes, chosen by the program.
    public var name: String
    /// The largest resident set of the process.
    ///
    /// It counts from the first program that the process became: before, it held its parent's memory. A process
    /// that became none counts from its beginning, with the pages that it then shared with its parent.
    public var peak: PeakReading
    /// The program pages when the process ended: what was resident of the files that it mapped executable, less what it
    /// had written to; `nil` where that could not be read, as of a process that was polled.
    public var programPages: ByteCount?
    /// The peak without program pages, or `nil` where these are not known: what the process did, wherever its file lies.
    public var netPeak: ByteCount?
    /// The resident pages that no file backed when the process ended, or `nil` where that could not be read.
    public var anonymousAtEnd: ByteCount?
    /// The most threads that it had at the same time.
    public var threads: Int
    /// Whether it still ran a grace period after the command itself had ended, and was killed for that.
    public var outlived: Bool
    /// When it began, in nanoseconds of `CLOCK_MONOTONIC`.
    public var startNanoseconds: Int
    /// When its end was noticed.
    public var endNanoseconds: Int
    /// Whether it had mapped a library with the name of jemalloc when it was last looked at.
    ///
    /// That is at its end, or when it was polled. A jemalloc that is part of the program itself is not seen.
    public var mapsJemalloc: Bool

    /// Creates the trace of a process.
    public init(
        order: Int, parentOrder: Int? = nil, name: String, peak: PeakReading, programPages: ByteCount? = nil,
        netPeak: ByteCount? = nil, anonymousAtEnd: ByteCount? = nil, threads: Int = 1, outlived: Bool = false,
        startNanoseconds: Int, endNanoseconds: Int, mapsJemalloc: Bool = false
    ) {
        self.order = order
        self.parentOrder = parentOrder
        self.name = name
        self.peak = peak
        self.programPages = programPages
        self.netPeak = netPeak
        self.anonymousAtEnd = anonymousAtEnd
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
        case threads
        case outlived
        case startNanoseconds = "start_ns"
        case endNanoseconds = "end_ns"
        case mapsJemalloc = "maps_jemalloc"
    }
}
