// SPDX-License-Identifier: Apache-2.0

import CMemProbe

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
}

/// The pages that an administrator has set aside for `MAP_HUGETLB` and `hugetlbfs`.
///
/// `VmRSS`, `VmHWM`, `statm` and `Rss` of `smaps` leave them out.
enum HugePagePool {
    /// True if there are such pages, or may be.
    static let isThere = cmemprobe_has_huge_page_pool()
}
