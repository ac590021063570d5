// SPDX-License-Identifier: Apache-2.0

import Libc

/// The mappings in `maps` of every file that the process maps executable somewhere.
///
/// Their resident pages are the *program pages*: of the program, its libraries and the loader, in any mapping of these
/// files. The kernel maps them around each fault as far as they are in the page cache, so their number depends on how
/// the file got there, not on the program. Memory with a name in the place of a path is excluded: a `memfd` that a
/// just-in-time compiler writes to is the program's own doing.
package struct ProgramMappings: ~Copyable {
    let table = MappingTable()

    package init() {}

    /// True if no mapping was read, as of a process that is gone.
    package var isEmpty: Bool { table.isEmpty }

    /// The address ranges of program pages, resident or not.
    package var ranges: [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for index in 0..<table.count { if let range = table.programRange(at: index) { ranges.append(range) } }
        return ranges
    }

    /// Parses more of the file, in whole lines; throws if there are too many mappings, too.
    package mutating func read(_ text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        while !scanner.isAtEnd(of: text) {
            try readLine(&scanner, text)
            scanner.skipLine(in: text)
        }
    }

    package mutating func read(_ text: String) throws(MemProbeError) {
        let bytes = Array(text.utf8)
        try read(bytes.span)
    }

    private mutating func readLine(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
        table.noteLine()
        let line = try MapsLine(&scanner, text)
        guard let file = line.file else { return }
        try table.add(line.addresses, of: file, isExecutable: line.isExecutable)
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
                to: Entry(start: range.lowerBound, end: range.upperBound, file: file, first: first, isExecutable: false)
            )
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

    /// One line of `/proc/PID/maps`: `address-address rwxp offset major:minor inode   name`.
    struct MapsLine {
        var addresses: Range<UInt64>
        var isExecutable: Bool
        /// The mapped file, or `nil` for memory, some of which has a name in the place of a path.
        var file: MappedInode?
        /// The position of the name in the text; empty if there is none.
        var name: Range<Int>

        /// Parses the line at the scanner's position, up to its end.
        init(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
            guard let start = scanner.hexadecimal(in: text), scanner.skip("-", in: text),
                let end = scanner.hexadecimal(in: text), start <= end
            else { throw MemProbeError(.malformed, source: "maps") }
            addresses = start..<end
            scanner.skipBlanks(in: text)
            let permissions = scanner.position
            scanner.skipWord(in: text)
            guard scanner.position == permissions + 4 else { throw MemProbeError(.malformed, source: "maps") }
            isExecutable = text[permissions + 2] == UInt8(ascii: "x")
            scanner.skipBlanks(in: text)
            scanner.skipWord(in: text)
            scanner.skipBlanks(in: text)
            let mapped = try Self.file(&scanner, text)
            scanner.skipBlanks(in: text)
            let isMemory = mapped.inode == 0 || Self.isMemory(scanner, text)
            file = isMemory ? nil : mapped
            let nameStart = min(scanner.position, text.count)
            while scanner.position < text.count, text[scanner.position] != UInt8(ascii: "\n") { scanner.position += 1 }
            name = nameStart..<max(nameStart, scanner.position)
        }

        /// Parses `major:minor inode`.
        private static func file(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError)
            -> MappedInode
        {
            guard let major = scanner.hexadecimal(in: text), scanner.skip(":", in: text),
                let minor = scanner.hexadecimal(in: text), major >> 32 == 0, minor >> 32 == 0
            else { throw MemProbeError(.malformed, source: "maps") }
            scanner.skipBlanks(in: text)
            guard let inode = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "maps") }
            return MappedInode(device: major << 32 | minor, inode: inode)
        }

        /// True if the name is that of memory instead of a file.
        private static func isMemory(_ scanner: ByteScanner, _ text: Span<UInt8>) -> Bool {
            var scanner = scanner
            return scanner.skip("/memfd:", in: text) || scanner.skip("/dev/zero", in: text)
                || scanner.skip("/SYSV", in: text)
        }
    }

    /// A file in a list of mappings; its path may have been reused since.
    struct MappedInode: Hashable, BitwiseCopyable {
        var device: UInt64
        var inode: Int
    }

    /// The 8 bytes of `/proc/PID/pagemap` for one page.
    package struct PagemapEntry: Hashable, Sendable, BitwiseCopyable {
        package var rawValue: UInt64

        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// True for a resident page of a file that the process has not copied by writing to it.
        ///
        /// Bit 63 marks resident pages, bit 61 pages of files and shared memory (kernel 3.5).
        package var isResidentFilePage: Bool { rawValue >> 63 == 1 && rawValue >> 61 & 1 == 1 }
    }
}

/// The files in `maps` that a process maps executable: the program, its libraries, the loader.
package struct ExecutableFiles: Hashable, Sendable, ParsedText {
    /// Their paths, each once, in the order of addresses; that of a removed file ends with ` (deleted)`.
    package let paths: [String]

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var seen: Set<ProgramMappings.MappedInode> = []
        var paths: [String] = []
        while !scanner.isAtEnd(of: text) {
            let line = try ProgramMappings.MapsLine(&scanner, text)
            if line.isExecutable, let file = line.file, seen.insert(file).inserted {
                paths.append(SystemText.string(of: line.name.map { text[$0] }))
            }
            scanner.skipLine(in: text)
        }
        self.paths = paths
    }
}
