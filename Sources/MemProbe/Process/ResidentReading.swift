// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// The physical memory of a process at one instant, by the cheapest reading.
///
/// It comes from `/proc/PID/statm`, which is exact since kernel 6.16 and lags behind by up to ``PeakErrorBound``
/// before.
public struct ResidentReading: Hashable, Sendable, Codable, BitwiseCopyable {
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

/// The resident set split by what backs its pages and who else maps them.
package struct ResidentParts: Hashable, Sendable {
    package var resident: ByteCount
    /// The pages that no file backs.
    package var anonymous: ByteCount
    /// The pages of files and shared memory that only this process maps.
    package var privateFile: ByteCount
    /// The pages of files and shared memory that other processes map, too.
    package var sharedFile: ByteCount

    /// Splits the sums over all mappings; `nil` if the kernel omits `Anonymous`.
    ///
    /// Anonymous pages are private, except for those that parent and child share after a fork: by those, private file
    /// pages are counted too low and shared ones too high, but never below zero.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` if a part is larger than the whole.
    package init?(_ rollup: SmapsRollup) throws(MemProbeError) {
        guard let anonymous = rollup.anonymous else { return nil }
        guard anonymous <= rollup.resident else { throw MemProbeError(.malformed, source: "Anonymous") }
        guard rollup.unique <= rollup.resident else { throw MemProbeError(.malformed, source: "Private_Dirty") }
        resident = rollup.resident
        self.anonymous = anonymous
        privateFile = max(.zero, rollup.unique - anonymous)
        sharedFile = rollup.resident - anonymous - privateFile
    }
}

/// A limit of memory without program pages, whose number depends on the page cache and not on the program.
///
/// They take a thousand times as long to read as a resident set, and hardly change: they are read only where the limit
/// and those that are known are exceeded.
struct NetLimit: Sendable {
    private let limit: ByteCount
    private var programPages = ByteCount.zero

    init(_ limit: ByteCount) { self.limit = limit }

    /// Returns what is held without program pages if that is over the limit.
    ///
    /// - Parameters:
    ///   - resident: what is held with them.
    ///   - read: reads the program pages within; `nil` if the kernel hides them, so that they count.
    mutating func excess(of resident: ByteCount, programPages read: () -> ByteCount?) -> ByteCount? {
        guard resident > limit + programPages else { return nil }
        programPages = read() ?? .zero
        return resident > limit + programPages ? resident - programPages : nil
    }
}

/// The open files from which a process's resident set is read again and again.
///
/// `statm` alone, in about 1 µs, where no process can have pages of a huge page pool, which no counter of resident
/// pages includes; else `status` as well, in about 10 µs.
struct ResidentFile: ~Copyable, Sendable {
    private let statm: Descriptor
    private let status: Descriptor?

    /// The capacity of a buffer that fits what is read.
    static var roomForReading: Int { HugePagePool.isThere ? TextBuffer.standardCapacity : 512 }

    init(in folder: borrowing Descriptor) throws(MemProbeError) {
        let statm = try Descriptor(opening: "statm", in: folder)
        let status = HugePagePool.isThere ? try Descriptor(opening: "status", in: folder) : nil
        // Assigned together: a noncopyable value cannot be left half initialised.
        self.statm = statm
        self.status = status
    }

    /// Opens the files of a thread's process.
    init(ofThread thread: Int32) throws(MemProbeError) {
        let statm = try Descriptor(opening: "/proc/\(thread)/statm")
        let status = HugePagePool.isThere ? try Descriptor(opening: "/proc/\(thread)/status") : nil
        self.statm = statm
        self.status = status
    }

    /// Reads the resident set without allocating.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` for a zombie, too.
    borrowing func read(into text: borrowing TextBuffer, pageSize: Int) throws(MemProbeError) -> ResidentReading {
        let reading = try ResidentReading(reading: statm, into: text, pageSize: pageSize)
        switch status {
        case .none: return reading
        case .some(let status):
            let sizes = try StatusFile(parsing: text.prefix(try status.read(into: text)).span)
            return reading.adding(hugetlb: sizes.hugetlb)
        }
    }

    /// The pages that an administrator has set aside for `MAP_HUGETLB` and `hugetlbfs`.
    ///
    /// `VmRSS`, `VmHWM`, `statm` and `Rss` of `smaps` leave them out.
    enum HugePagePool {
        /// True if there are such pages, or may be.
        static let isThere = cmemprobe_has_huge_page_pool()
    }
}
