// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file in a list of mappings; its path may have been reused since.
struct MappedInode: Hashable, BitwiseCopyable {
    var device: UInt64
    var inode: Int
}

/// The file mappings of a process, in memory that is reserved once so that reading allocates nothing.
///
/// It is a mapping of its own: glibc would allocate it as one, too, and freeing that would raise glibc's threshold for
/// mapped blocks, which would change the memory that is measured.
struct MappingTable: ~Copyable, @unchecked Sendable {
    /// The number of mappings that fit: the kernel's default limit for a process.
    static let standardCapacity = 65536

    private struct Entry: BitwiseCopyable {
        var start: UInt64
        var end: UInt64
        var file: MappedInode
        /// The index of the first mapping of the same file, which records whether any of them is executable.
        var first: Int
        var isExecutable: Bool
    }

    /// Pointers, so that a borrowed table can be filled; `nil` if mapping failed.
    private let entries: UnsafeMutablePointer<Entry>?
    private let counts: UnsafeMutablePointer<(entries: Int, lines: Int)>
    private let capacity: Int
    private let length: Int

    init(capacity: Int = MappingTable.standardCapacity) {
        length = capacity * MemoryLayout<Entry>.stride
        // Pages that are never filled cost no memory.
        let pages = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let hasRoom = pages != nil && pages != MAP_FAILED
        entries = hasRoom ? pages?.bindMemory(to: Entry.self, capacity: capacity) : nil
        self.capacity = hasRoom ? capacity : 0
        counts = .allocate(capacity: 1)
        counts.initialize(to: (0, 0))
    }

    deinit {
        if let entries { munmap(entries, length) }
        counts.deallocate()
    }

    var count: Int { counts.pointee.entries }

    /// True if no line was read, not even of a mapping without a file.
    var isEmpty: Bool { counts.pointee.lines == 0 }

    borrowing func removeAll() { counts.pointee = (0, 0) }

    borrowing func noteLine() { counts.pointee.lines += 1 }

    /// Adds a mapping of a file; throws if the table is full.
    borrowing func add(
        _ range: Range<UInt64>, of file: MappedInode, isExecutable: Bool
    ) throws(MemProbeError) {
        let index = count
        guard let entries, index < capacity else { throw MemProbeError(.exhausted, source: "maps") }
        // The mappings of one file are mostly adjacent.
        var known = index - 1
        while known >= 0, entries[known].file != file { known -= 1 }
        let first = known < 0 ? index : entries[known].first
        entries.advanced(by: index).initialize(
            to: Entry(start: range.lowerBound, end: range.upperBound, file: file, first: first, isExecutable: false))
        if isExecutable { entries[first].isExecutable = true }
        counts.pointee.entries += 1
    }

    /// Returns the addresses of a mapping, or `nil` if no mapping of its file is executable.
    borrowing func programRange(at index: Int) -> Range<UInt64>? {
        guard let entries else { return nil }
        let entry = entries[index]
        return entries[entry.first].isExecutable ? entry.start..<entry.end : nil
    }
}
