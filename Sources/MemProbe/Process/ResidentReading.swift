// SPDX-License-Identifier: Apache-2.0

/// What a process holds in physical memory at one instant, as cheaply as it can be read.
///
/// The corresponding file is `/proc/PID/statm`. It is exact since kernel 6.16; before, it lags behind by up to
/// ``PeakErrorBound``.
public struct ResidentReading: Hashable, Sendable, Codable {
    /// The resident set: every page of the process that is in memory, shared ones in full.
    public var resident: ByteCount

    /// The part of it that belongs to files and shared memory.
    public var shared: ByteCount

    /// The part of it that no file backs: heap, stacks, private mappings.
    public var anonymous: ByteCount {
        resident - shared
    }

    /// Creates a reading.
    public init(resident: ByteCount, shared: ByteCount) {
        self.resident = resident
        self.shared = shared
    }

    private enum CodingKeys: String, CodingKey {
        case resident = "resident_bytes"
        case shared = "shared_bytes"
    }
}

extension ResidentReading {
    /// Reads a `statm` kept open, without allocating.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` for a zombie too, whose `statm` is all zeros:
    ///   a process that holds nothing any more is not a process that holds 0 bytes.
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
    /// Creates a count from a number of pages that came from a file, which may be any number.
    init(pages: Int, ofSize pageSize: Int, source: String) throws(MemProbeError) {
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageSize)
        guard !overflow else { throw MemProbeError(.malformed, source: source) }
        self.init(bytes)
    }
}
