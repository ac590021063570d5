// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file as `/proc` names it in a list of mappings; its path may have been given to another one since.
struct MappedFile: Hashable, BitwiseCopyable {
    var device: UInt64
    var inode: Int
}

/// The mappings of files of a process: room made once, so that reading allocates nothing.
///
/// The room is a mapping of its own. From glibc's allocator it would come as one, too, and giving it back would raise
/// the size from which that allocator maps blocks: the memory that is measured would be another.
struct MappingTable: ~Copyable, @unchecked Sendable {
    /// How many mappings are kept apart: as many as a process may have by the kernel's own default.
    static let standardCapacity = 65536

    private struct Entry: BitwiseCopyable {
        var start: UInt64
        var end: UInt64
        var file: MappedFile
        /// The place of the first mapping of the same file, which knows whether one of them is executable.
        var first: Int
        var isExecutable: Bool
    }

    /// Behind pointers, so that what is borrowed can be filled in; `nil` where there was no room.
    private let entries: UnsafeMutablePointer<Entry>?
    private let counts: UnsafeMutablePointer<(entries: Int, lines: Int)>
    private let capacity: Int
    private let length: Int

    init(capacity: Int = MappingTable.standardCapacity) {
        length = capacity * MemoryLayout<Entry>.stride
        // Untouched until it is used: what is never filled costs no memory.
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

    /// Whether not even a mapping without a file was read.
    var isEmpty: Bool { counts.pointee.lines == 0 }

    borrowing func removeAll() {
        counts.pointee = (0, 0)
    }

    borrowing func noteLine() {
        counts.pointee.lines += 1
    }

    /// Adds a mapping of a file.
    ///
    /// - Throws: ``MemProbeError/Code/exhausted`` where there is no room.
    borrowing func add(
        _ range: Range<UInt64>, of file: MappedFile, isExecutable: Bool
    ) throws(MemProbeError) {
        let index = count
        guard let entries, index < capacity else { throw MemProbeError(.exhausted, source: "maps") }
        // The mappings of one file mostly follow each other.
        var known = index - 1
        while known >= 0, entries[known].file != file { known -= 1 }
        let first = known < 0 ? index : entries[known].first
        entries.advanced(by: index).initialize(
            to: Entry(start: range.lowerBound, end: range.upperBound, file: file, first: first, isExecutable: false))
        if isExecutable { entries[first].isExecutable = true }
        counts.pointee.entries += 1
    }

    /// The addresses of a mapping, or `nil` where its file is not executable anywhere.
    borrowing func programRange(at index: Int) -> Range<UInt64>? {
        guard let entries else { return nil }
        let entry = entries[index]
        return entries[entry.first].isExecutable ? entry.start..<entry.end : nil
    }
}
