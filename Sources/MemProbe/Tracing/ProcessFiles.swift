// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

package final class ProcessFiles {
    private let text = TextBuffer()
    private let pageSize = PeakErrorBound.pageSize
    private var kept: [Int32: KeptFile] = [:]
    /// The most files that stay open: half of what this process may open, because every reading opens some, too.
    private let mostKept = ProcessFiles.descriptorLimit / 2
    private var mappings = ProgramMappings()
    /// The first reading of a living process that failed, or `nil`.
    private(set) var failure: MemProbeError?

    private final class KeptFile {
        let file: ResidentFile

        init(_ file: consuming ResidentFile) { self.file = file }
    }

    func identity(of thread: Int32) throws(MemProbeError) -> ThreadIdentity {
        let file = try Descriptor(opening: "/proc/\(thread)/status")
        return try ThreadIdentity(parsing: text.prefix(try file.read(into: text)).span)
    }

    /// Returns the name of the program that a process last executed.
    func name(of process: Int32) -> String {
        guard let bytes = content(of: "/proc/\(process)/comm") else { return "" }
        return SystemText.string(of: bytes.prefix { $0 != UInt8(ascii: "\n") })
    }

    /// Reads a process through one of its threads, because its memory may outlive the first thread.
    func reading(of process: Int32, through thread: Int32, look: CommandTrace.MappingsLook) -> ProcessReading {
        var reading = ProcessReading(mark: nil, cpuNanoseconds: cpuNanoseconds(of: process))
        if let status = status(of: thread) {
            reading.mark = status.peakResident
            reading.anonymous = status.anonymous.map { $0 + status.hugetlb }
            reading.files = status.file
            reading.held = status.anonymous.map { $0 + (status.shmem ?? .zero) }
        }
        if look != .none { reading.mapsJemalloc = finds("libjemalloc", in: "maps", of: thread) }
        if look == .pages { reading.programPages = programPages(of: thread) }
        return reading
    }

    /// Returns the memory lines of a thread's process, or `nil` if it is gone.
    func status(of thread: Int32) -> StatusFile? {
        content(of: "/proc/\(thread)/status").flatMap { try? StatusFile(parsing: $0.span) }
    }

    /// Returns the numbers of a process's memory lines: none if it has no memory left, `nil` if it is gone.
    func memoryLines(of process: Int32) -> [Int]? {
        content(of: "/proc/\(process)/status").map { ChildWatch.MemoryLines.numbers(in: $0.span) }
    }

    /// Returns the number after a word at the start of a line, or `nil` if there is none.
    func number(behind word: StaticString, in path: String) -> Int? {
        guard let bytes = content(of: path) else { return nil }
        let text = bytes.span
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

    func stat(of process: Int32) -> StatFile? {
        content(of: "/proc/\(process)/stat").flatMap { try? StatFile(parsing: $0.span) }
    }

    /// Reads what a process holds through the first of its threads that still has memory; `nil` if none has.
    func resident(of process: Int32, threads: some Sequence<Int32>) -> ResidentReading? {
        if let file = kept[process], let reading = read(file) { return reading }
        for thread in threads {
            guard let opened = noted({ () throws(MemProbeError) in try ResidentFile(ofThread: thread) })
            else { continue }
            let file = KeptFile(opened)
            guard let reading = read(file) else { continue }
            if kept.count < mostKept { kept[process] = file }
            return reading
        }
        return nil
    }

    /// Reads a process's proportional sizes; `nil` if it is gone, or if the kernel hides them or does not tell them apart.
    func proportional(of process: Int32, threads: some Sequence<Int32>) -> ProportionalReading? {
        for thread in threads {
            // Optional, unlike the other files: if the kernel hides it, no figure lacks the process.
            guard let file = try? Descriptor(opening: "/proc/\(thread)/smaps_rollup"),
                let count = try? file.read(into: text)
            else { continue }
            return (try? SmapsRollup(parsing: text.prefix(count).span))?.proportionalParts
        }
        return nil
    }

    func forget(_ process: Int32) { kept[process] = nil }

    /// Reads a file into the buffer, where it stays until the next reading; `nil` if it cannot be read.
    private func content(of path: String) -> UnsafeBufferPointer<UInt8>? {
        noted { () throws(MemProbeError) in try Descriptor(opening: path).read(into: text) }.map { text.prefix($0) }
    }

    /// Returns what `body` reads; `nil` if it fails, which is noted unless the process is gone.
    private func noted<Value: ~Copyable>(_ body: () throws(MemProbeError) -> Value) -> Value? {
        do {
            return try body()
        } catch {
            if error.code != .noSuchProcess, error.errno != ENOENT { failure = failure ?? error }
            return nil
        }
    }

    /// The number of descriptors that this process may have.
    private static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        return Int(clamping: limit.rlim_cur)
    }

    private func read(_ kept: KeptFile) -> ResidentReading? {
        try? kept.file.read(into: text, pageSize: pageSize)
    }

    /// Returns the CPU time of a process, including its ended threads; 0 if it is gone.
    private func cpuNanoseconds(of process: Int32) -> Int {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Int(nanoseconds: time)
    }

    /// Returns the program pages of a thread's process, or `nil` if the kernel hides them or the memory is gone.
    func programPages(of thread: Int32) -> ByteCount? {
        guard let maps = try? Descriptor(opening: "/proc/\(thread)/maps"),
            let pagemap = try? Descriptor(opening: "/proc/\(thread)/pagemap")
        else { return nil }
        return try? mappings.programPages(maps: maps, pagemap: pagemap, pageSize: pageSize, through: text)
    }

    /// Returns true if a line of a file of a thread has this word, `nil` if the file is hidden.
    func finds(_ word: String, in file: String, of thread: Int32) -> Bool? {
        guard let bytes = try? Descriptor(opening: "/proc/\(thread)/\(file)").readWhole() else { return nil }
        return bytes.withUnsafeBytes { bytes in
            bytes.indices.contains { bytes[$0] == word.utf8.first && bytes[$0...].starts(with: word.utf8) }
        }
    }
}
