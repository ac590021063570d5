// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads what `/proc` says of threads and processes that this process watches.
final class ProcessFiles {
    private let text = TextBuffer()
    private let pageSize = PeakErrorBound.pageSize
    private var kept: [Int32: KeptFile] = [:]
    private var mappings = ProgramMappings()

    /// A `statm` kept open for sampling.
    private final class KeptFile {
        let file: Descriptor

        init(_ file: consuming Descriptor) {
            self.file = file
        }
    }

    func identity(of thread: Int32) throws(MemProbeError) -> ThreadIdentity {
        let file = try Descriptor(opening: "/proc/\(thread)/status")
        return try ThreadIdentity(parsing: text.prefix(try file.read(into: text)).span)
    }

    /// The name of the program that a process last became.
    func name(of process: Int32) -> String {
        guard let file = try? Descriptor(opening: "/proc/\(process)/comm"), let count = try? file.read(into: text)
        else { return "" }
        return String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// What a process holds, read through one of its threads: the memory may outlive the first of them.
    ///
    /// - Parameter look: whether to look through the mappings too, which takes longer.
    func reading(of process: Int32, through thread: Int32, look: MappingsLook) -> ProcessReading {
        var reading = ProcessReading(mark: nil, cpuNanoseconds: cpuNanoseconds(of: process))
        if let status = status(of: thread) {
            reading.mark = status.peakResident
            reading.anonymous = status.anonymous
        }
        if look != .none { reading.mapsJemalloc = mapsJemalloc(thread) }
        if look == .pages { reading.programPages = programPages(of: thread) }
        return reading
    }

    /// The memory lines of a thread's process, or `nil` where it is gone.
    func status(of thread: Int32) -> StatusFile? {
        guard let file = try? Descriptor(opening: "/proc/\(thread)/status"), let count = try? file.read(into: text)
        else { return nil }
        return try? StatusFile(parsing: text.prefix(count).span)
    }

    /// The numbers of a process's memory lines: none of one that has no memory any more, `nil` where it is gone.
    func memoryLines(of process: Int32) -> [Int]? {
        guard let file = try? Descriptor(opening: "/proc/\(process)/status"), let count = try? file.read(into: text)
        else { return nil }
        return MemoryLines.numbers(in: text.prefix(count).span)
    }

    /// The number behind a word at the beginning of a line, or `nil` where there is none.
    func number(behind word: StaticString, in path: String) -> Int? {
        guard let file = try? Descriptor(opening: path), let count = try? file.read(into: text) else { return nil }
        let text = text.prefix(count).span
        var scanner = ByteScanner()
        while !scanner.isAtEnd(of: text) {
            if scanner.skip(word, in: text) {
                scanner.skipBlanks(in: text)
                return scanner.number(in: text)
            }
            scanner.skipLine(in: text)
        }
        return nil
    }

    /// What a polled process says of itself, or `nil` where it is gone.
    func stat(of process: Int32) -> PolledStat? {
        guard let file = try? Descriptor(opening: "/proc/\(process)/stat"), let count = try? file.read(into: text)
        else { return nil }
        return try? PolledStat(parsing: text.prefix(count).span)
    }

    /// What a process holds now, or `nil` where it holds nothing any more.
    ///
    /// - Parameter threads: its threads; where the first one has ended, its file says nothing of the others' memory.
    func resident(of process: Int32, threads: some Sequence<Int32>) -> ResidentReading? {
        if let file = kept[process], let reading = read(file) { return reading }
        for thread in threads {
            guard let file = keep("/proc/\(thread)/statm"), let reading = read(file) else { continue }
            kept[process] = file
            return reading
        }
        return nil
    }

    /// Closes what was kept open of a process.
    func forget(_ process: Int32) {
        kept[process] = nil
    }

    private func keep(_ path: String) -> KeptFile? {
        guard let file = try? Descriptor(opening: path) else { return nil }
        return KeptFile(file)
    }

    private func read(_ kept: KeptFile) -> ResidentReading? {
        try? ResidentReading(reading: kept.file, into: text, pageSize: pageSize)
    }

    /// The CPU time of a process, its ended threads included; 0 where it is gone.
    private func cpuNanoseconds(of process: Int32) -> Int {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Int(nanoseconds: time)
    }

    /// The program pages of a thread's process, or `nil` where the kernel hides them or the memory is gone.
    private func programPages(of thread: Int32) -> ByteCount? {
        guard let maps = try? Descriptor(opening: "/proc/\(thread)/maps"),
            let pagemap = try? Descriptor(opening: "/proc/\(thread)/pagemap")
        else { return nil }
        return try? mappings.programPages(maps: maps, pagemap: pagemap, pageSize: pageSize, through: text)
    }

    /// Whether a line of `maps` names jemalloc, or `nil` where the file is hidden.
    private func mapsJemalloc(_ thread: Int32) -> Bool? {
        guard let file = try? Descriptor(opening: "/proc/\(thread)/maps") else { return nil }
        var search = LiteralSearch("libjemalloc")
        while true {
            guard let count = try? file.readOn(into: text.start, atMost: text.capacity) else { return nil }
            guard count > 0 else { return false }
            if search.finds(in: text.prefix(count).span) { return true }
        }
    }
}
