// SPDX-License-Identifier: Apache-2.0

/// By how much a process's memory rose while something was done.
public struct PeakGrowth: Codable, Hashable, Sendable {
    /// The resident set when it began.
    public var start: ByteCount

    /// The largest resident set until it was over.
    public var peak: PeakReading

    /// The program pages that came in meanwhile, or `nil` where the kernel hides them.
    ///
    /// They are pages of the program and its libraries. How many come in depends on what the page cache holds, so they
    /// are no property of what was done, and in no ``growth``.
    public var programPages: ByteCount?

    /// Creates a growth.
    public init(start: ByteCount, peak: PeakReading, programPages: ByteCount?) {
        self.start = start
        self.peak = peak
        self.programPages = programPages
    }

    /// The peak over the start without the program pages that came in, in bytes; never negative.
    ///
    /// Program pages are read when all is over, not at the peak: those that came in after it are taken off as well, and
    /// the growth is then too low, by those pages at most. Besides that it is as exact as ``PeakReading/errorBound`` of
    /// ``peak`` says: a limit finer than that is not honest.
    public var growth: ByteCount {
        max(.zero, peak.resident - start - (programPages ?? .zero))
    }

    private enum CodingKeys: String, CodingKey {
        case start = "start_bytes"
        case peak
        case programPages = "program_bytes"
    }
}
