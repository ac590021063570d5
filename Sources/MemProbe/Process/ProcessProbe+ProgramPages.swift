// SPDX-License-Identifier: Apache-2.0

extension ProcessProbe {
    /// Reads the program pages: the resident pages of all files that the process maps executable, in any of their
    /// mappings, without those that the process has written to.
    ///
    /// It walks only the page tables of these mappings, so the size of the heap does not matter: about 1 ms for a
    /// program of 100 MiB. Read it at marks, not in a loop. It allocates nothing.
    ///
    /// It reads `/proc/PID/maps` and `/proc/PID/pagemap`. The sum equals `Rss` less `Anonymous` of the same mappings in
    /// `/proc/PID/smaps`, which takes several times as long to read.
    ///
    /// - Returns: `nil` if the kernel has no such file (`CONFIG_PROC_PAGE_MONITOR`) or hides it.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended, ``MemProbeError/Code/malformed`` if a
    ///   file cannot be parsed, ``MemProbeError/Code/exhausted`` if the process has more than 65,536 mappings of files.
    public mutating func programPages() throws(MemProbeError) -> ByteCount? {
        do {
            // Opened each time, as `smaps_rollup` is: an open file stays with the program that ran when it was opened.
            let maps = try Descriptor(opening: "maps", in: folder)
            let pagemap = try Descriptor(opening: "pagemap", in: folder)
            return try mappings.programPages(maps: maps, pagemap: pagemap, pageSize: pageSize, through: text)
        } catch {
            if error.saysHidden { return nil }
            throw error
        }
    }
}

extension ProgramMappings {
    /// Reads the mappings and counts the resident pages of the program's.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if there is not a single mapping.
    mutating func programPages(
        maps: borrowing Descriptor, pagemap: borrowing Descriptor, pageSize: Int, through text: borrowing TextBuffer
    ) throws(MemProbeError) -> ByteCount {
        try read(maps, through: text)
        guard !isEmpty else { throw MemProbeError(.noSuchProcess, source: maps.path) }
        var pages = 0
        for index in 0..<table.count {
            guard let range = table.programRange(at: index) else { continue }
            pages += try Self.residentFilePages(of: range, in: pagemap, pageSize: pageSize, through: text)
        }
        return try ByteCount(pages: pages, ofSize: pageSize, source: "pagemap")
    }

    /// Reads a whole `maps`, which is longer than the buffer, in pieces that end with a whole line.
    private mutating func read(_ maps: borrowing Descriptor, through text: borrowing TextBuffer) throws(MemProbeError) {
        table.removeAll()
        var kept = 0
        while true {
            let count = try maps.readOn(into: text.start + kept, atMost: text.capacity - kept)
            guard count > 0 else { break }
            let filled = kept + count
            let whole = text.endOfLastLine(in: filled)
            guard whole > 0 || filled < text.capacity else { throw MemProbeError(.malformed, source: maps.path) }
            try read(text.prefix(whole).span)
            text.start.update(from: text.start + whole, count: filled - whole)
            kept = filled - whole
        }
        guard kept == 0 else { throw MemProbeError(.malformed, source: maps.path) }
    }

    /// Counts the resident pages of files in a range of addresses.
    private static func residentFilePages(
        of range: Range<UInt64>, in pagemap: borrowing Descriptor, pageSize: Int, through text: borrowing TextBuffer
    ) throws(MemProbeError) -> Int {
        let size = MemoryLayout<PagemapEntry>.size
        var page = Int(range.lowerBound) / pageSize
        let end = Int(range.upperBound) / pageSize
        var found = 0
        while page < end {
            // Two pages of the buffer: the rest of it stays untouched.
            let wanted = min(end - page, 8192 / size)
            let count = try pagemap.read(into: text, at: page * size, atMost: wanted * size) / size
            // The mapping has just gone.
            guard count > 0 else { break }
            found += text.entries(count)
            page += count
        }
        return found
    }
}

extension TextBuffer {
    /// Returns the end of the last whole line in the first `count` bytes; 0 if there is none.
    fileprivate borrowing func endOfLastLine(in count: Int) -> Int {
        var end = count
        while end > 0, start[end - 1] != UInt8(ascii: "\n") { end -= 1 }
        return end
    }

    /// Counts the resident pages of files among the first entries.
    fileprivate borrowing func entries(_ count: Int) -> Int {
        let raw = UnsafeRawPointer(start)
        var found = 0
        for index in 0..<count {
            let value = raw.loadUnaligned(fromByteOffset: index * MemoryLayout<PagemapEntry>.size, as: UInt64.self)
            if PagemapEntry(rawValue: value).isResidentFilePage { found += 1 }
        }
        return found
    }
}
