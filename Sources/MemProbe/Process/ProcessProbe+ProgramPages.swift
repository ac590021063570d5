// SPDX-License-Identifier: Apache-2.0

extension ProcessProbe {
    /// Reads the program pages: what is resident of every file that the process maps executable, in all its mappings,
    /// without the pages that the process has written to.
    ///
    /// It walks all page tables, about a millisecond for a process of 50 MiB: read it at marks, not in a loop. Nothing
    /// is allocated.
    ///
    /// The corresponding file is `/proc/PID/smaps`: `Rss` less `Anonymous`.
    ///
    /// - Returns: `nil` where the kernel has no such file (`CONFIG_PROC_PAGE_MONITOR`) or does not show it.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` when the process has ended,
    ///   ``MemProbeError/Code/malformed`` where the file is not understood,
    ///   ``MemProbeError/Code/exhausted`` where the process maps more than 4,096 different files.
    public mutating func programPages() throws(MemProbeError) -> ByteCount? {
        do {
            // Opened each time, as `smaps_rollup` is: it stays with the program that ran when it was opened.
            let file = try Descriptor(opening: "smaps", in: folder)
            return try mappings.programPages(of: file, through: text)
        } catch {
            if error.saysHidden { return nil }
            throw error
        }
    }
}

extension ProgramMappings {
    /// Reads a whole `smaps`, which is longer than the buffer: piece by piece, each up to its last whole line.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` where there is not a single mapping.
    mutating func programPages(
        of file: borrowing Descriptor, through text: borrowing TextBuffer
    ) throws(MemProbeError) -> ByteCount {
        removeAll()
        var kept = 0
        while true {
            let count = try file.readOn(into: text.start + kept, atMost: text.capacity - kept)
            guard count > 0 else { break }
            let filled = kept + count
            let whole = text.endOfLastLine(in: filled)
            guard whole > 0 || filled < text.capacity else { throw MemProbeError(.malformed, source: file.path) }
            try read(text.prefix(whole).span)
            text.start.update(from: text.start + whole, count: filled - whole)
            kept = filled - whole
        }
        guard kept == 0 else { throw MemProbeError(.malformed, source: file.path) }
        guard !isEmpty else { throw MemProbeError(.noSuchProcess, source: file.path) }
        return byteCount
    }
}

extension TextBuffer {
    /// Where the last line that is whole ends among the first bytes; 0 where none is.
    fileprivate borrowing func endOfLastLine(in count: Int) -> Int {
        var end = count
        while end > 0, start[end - 1] != UInt8(ascii: "\n") { end -= 1 }
        return end
    }
}
