// SPDX-License-Identifier: Apache-2.0

/// The growth of a process's memory during an operation.
public struct PeakGrowth: Codable, Hashable, Sendable {
    /// The resident set at the start.
    public var start: ByteCount
    /// The largest resident set until the end.
    public var peak: PeakReading
    /// The program pages that were loaded meanwhile, or `nil` if the kernel hides them.
    ///
    /// These are pages of the program and its libraries. Their number depends on the page cache, not on the operation,
    /// so ``growth`` excludes them.
    public var programPages: ByteCount?

    /// Creates a growth.
    public init(start: ByteCount, peak: PeakReading, programPages: ByteCount?) {
        self.start = start
        self.peak = peak
        self.programPages = programPages
    }

    /// The peak above the start without the program pages loaded meanwhile; never negative.
    ///
    /// Program pages are read at the end, not at the peak: those loaded after the peak are subtracted, too, which makes
    /// the growth too low by at most their size. Otherwise it is as exact as ``PeakReading/errorBound`` of ``peak``; do
    /// not set a finer limit.
    public var growth: ByteCount { max(.zero, peak.resident - start - (programPages ?? .zero)) }

    private enum CodingKeys: String, CodingKey {
        case start = "start_bytes"
        case peak
        case programPages = "program_bytes"
    }
}
