// SPDX-License-Identifier: Apache-2.0

/// The physical memory of a process at one instant, by the cheapest reading.
///
/// It comes from `/proc/PID/statm`, which is exact since kernel 6.16 and lags behind by up to ``PeakErrorBound``
/// before.
public struct ResidentReading: Hashable, Sendable, Codable {
    /// The resident set: every page in memory, shared ones in full, with those of huge page pools.
    public var resident: ByteCount
    /// The resident pages of files and shared memory.
    public var shared: ByteCount
    /// The resident pages that no file backs: heap, stacks, private mappings.
    public var anonymous: ByteCount { resident - shared }
    /// The part of ``anonymous`` in huge page pools (`HugetlbPages` of `/proc/PID/status`), which no kernel counter of
    /// resident pages includes; 0 if it was not read.
    public private(set) var hugetlb = ByteCount.zero

    /// Creates a reading.
    public init(resident: ByteCount, shared: ByteCount) {
        self.resident = resident
        self.shared = shared
    }

    /// Returns the reading with pages of huge page pools, which count as resident and anonymous.
    package func adding(hugetlb size: ByteCount) -> ResidentReading {
        guard size > .zero else { return self }
        var sum = ResidentReading(resident: resident + size, shared: shared)
        sum.hugetlb = size
        return sum
    }

    private enum CodingKeys: String, CodingKey {
        case resident = "resident_bytes"
        case shared = "shared_bytes"
    }
}

extension ResidentReading {
    /// Reads an open `statm` without allocating.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` for a zombie, too: its `statm` is all zeros, which is not a
    ///   measurement of 0 bytes.
    init(
        reading statm: borrowing Descriptor, into text: borrowing TextBuffer, pageSize: Int
    ) throws(MemProbeError) {
        let bytes = text.prefix(try statm.read(into: text))
        let pages = try StatmFile(parsing: bytes.span)
        guard pages.size > 0 else { throw MemProbeError(.noSuchProcess, source: statm.path) }
        self.init(
            resident: try ByteCount(pages: pages.resident, ofSize: pageSize, source: "statm"),
            shared: try ByteCount(pages: pages.shared, ofSize: pageSize, source: "statm"))
    }
}

extension ByteCount {
    /// Creates a count from an unchecked number of pages out of a file.
    init(pages: Int, ofSize pageSize: Int, source: String) throws(MemProbeError) {
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageSize)
        guard !overflow else { throw MemProbeError(.malformed, source: source) }
        self.init(bytes)
    }
}
