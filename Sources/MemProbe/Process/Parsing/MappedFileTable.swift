// SPDX-License-Identifier: Apache-2.0

/// A file as `/proc` names it in a list of mappings; its path may have been given to another one since.
struct MappedFile: Hashable, BitwiseCopyable {
    var device: UInt64
    var inode: Int
}

/// The files that a process maps, and what is resident of each: room made once, so that reading allocates nothing.
struct MappedFileTable: ~Copyable, @unchecked Sendable {
    /// How many files are kept apart; a browser maps a few hundred.
    static let standardCapacity = 4096

    private struct Entry: BitwiseCopyable {
        var file: MappedFile
        var byteCount: Int
        var isExecutable: Bool
    }

    /// Behind a pointer, so that what is borrowed can be filled in.
    private let entries: UnsafeMutablePointer<Entry>
    private let count: UnsafeMutablePointer<Int>
    private let capacity: Int

    init(capacity: Int = MappedFileTable.standardCapacity) {
        self.capacity = capacity
        // Untouched until it is used: what is never filled costs no memory.
        entries = .allocate(capacity: capacity)
        count = .allocate(capacity: 1)
        count.initialize(to: 0)
    }

    deinit {
        entries.deallocate()
        count.deallocate()
    }

    /// The resident bytes of all files that are mapped executable somewhere.
    var executableByteCount: ByteCount {
        var sum = 0
        for index in 0..<count.pointee where entries[index].isExecutable { sum += entries[index].byteCount }
        return ByteCount(sum)
    }

    borrowing func removeAll() {
        count.pointee = 0
    }

    /// The place of a file, which is taken up where it is new.
    ///
    /// - Throws: ``MemProbeError/Code/exhausted`` where there is no room.
    borrowing func index(of file: MappedFile, isExecutable: Bool) throws(MemProbeError) -> Int {
        // The mappings of one file mostly follow each other.
        var index = count.pointee - 1
        while index >= 0, entries[index].file != file { index -= 1 }
        if index < 0 {
            guard count.pointee < capacity else { throw MemProbeError(.exhausted, source: "smaps") }
            index = count.pointee
            entries.advanced(by: index).initialize(to: Entry(file: file, byteCount: 0, isExecutable: false))
            count.pointee += 1
        }
        if isExecutable { entries[index].isExecutable = true }
        return index
    }

    borrowing func add(_ byteCount: Int, to index: Int) {
        entries[index].byteCount += byteCount
    }
}
