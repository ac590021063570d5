// SPDX-License-Identifier: Apache-2.0

import Libc

/// The process whose memory is read.
public enum ProcessTarget: Hashable, Sendable {
    /// The calling process.
    case current
    /// The process with this identifier, as this process's `/proc` numbers it.
    case pid(Int32)

    func folder(in procRoot: String) -> String {
        switch self {
        case .current: "\(procRoot)/self"
        case .pid(let identifier): "\(procRoot)/\(identifier)"
        }
    }
}

/// Reads one process's memory repeatedly at little cost.
///
/// The files of `/proc` are opened once and the buffer is allocated once, so ``resident()`` is one system call and
/// allocates nothing. The descriptors stay with the process: when it is gone, reading throws
/// ``MemProbeError/Code/noSuchProcess``, even if its number has been reused.
public struct ProcessProbe: ~Copyable, Sendable {
    /// The process that is read.
    public let target: ProcessTarget

    let folder: Descriptor
    let residentFile: ResidentFile
    let status: Descriptor
    let stat: Descriptor
    /// `nil` if the kernel has no such file or this user may not write it.
    let clearRefs: Descriptor?
    let text: TextBuffer
    let pageSize: Int
    var peak: PeakRecord
    var mappings: ProgramMappings

    /// Opens the process's files.
    ///
    /// - Parameters:
    ///   - target: the process.
    ///   - procRoot: the folder to read in the place of `/proc`, for recorded files.
    /// - Throws: ``MemProbeError/Code/noSuchProcess``, ``MemProbeError/Code/unreadable`` if `/proc` is hidden, or
    ///   ``MemProbeError/Code/otherNamespace`` if its numbers are those of other processes.
    public init(_ target: ProcessTarget, procRoot: String = "/proc") throws(MemProbeError) {
        let folder = try Descriptor(openingFolderOf: target, in: procRoot)
        let residentFile = try ResidentFile(in: folder)
        let status = try Descriptor(opening: "status", in: folder)
        let stat = try Descriptor(opening: "stat", in: folder)
        let clearRefs = try? Descriptor(opening: "clear_refs", in: folder, flags: O_WRONLY)
        // Assigned together: a noncopyable value cannot be left half initialised if a file is missing.
        self.target = target
        self.folder = folder
        self.residentFile = residentFile
        self.status = status
        self.stat = stat
        self.clearRefs = clearRefs
        text = TextBuffer()
        pageSize = PeakErrorBound.pageSize
        peak = .ofLifetime
        mappings = ProgramMappings()
    }

    /// Reads the resident set from `/proc/PID/statm`, in about 1 µs whatever its size, without allocating.
    ///
    /// Where there is a pool of huge pages, it also reads `status`, which takes about 10 µs.
    ///
    /// The reading counts for the peak since the last reset.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended, even as a zombie.
    public mutating func resident() throws(MemProbeError) -> ResidentReading {
        let reading = try residentFile.read(into: text, pageSize: pageSize)
        peak.note(reading)
        return reading
    }

    /// Reads everything.
    ///
    /// It walks the page tables for the proportional and the unique set and for the program pages, which takes
    /// milliseconds in a large process and slows its page faults meanwhile: read it at marks, not in a loop.
    ///
    /// It reads `/proc/PID/status`, `stat`, `smaps_rollup`, `maps` and `pagemap`.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended.
    public mutating func snapshot() throws(MemProbeError) -> Snapshot {
        let time = MonotonicClock.now()
        let exact = try resident()
        let sizes = try readStatus()
        let counters = try StatFile(parsing: text.prefix(try stat.read(into: text)).span)
        let rollup = try readRollup()
        let programPages = try programPages()
        return Snapshot(
            timeNanoseconds: time,
            resident: sizes.resident.map { $0 + sizes.hugetlb } ?? exact.resident,
            anonymous: sizes.anonymous.map { $0 + sizes.hugetlb } ?? exact.anonymous,
            file: sizes.file,
            shmem: sizes.shmem,
            swapped: sizes.swapped,
            peakResident: sizes.peakResident,
            proportional: rollup?.proportional,
            unique: rollup?.unique,
            programPages: programPages,
            minorFaults: counters.minorFaults,
            majorFaults: counters.majorFaults,
            threads: counters.threads,
            cpuNanoseconds: try cpuNanoseconds(counters))
    }

    func readStatus() throws(MemProbeError) -> StatusFile {
        try StatusFile(parsing: text.prefix(try status.read(into: text)).span)
    }

    func readRollup() throws(MemProbeError) -> SmapsRollup? { try SmapsRollup.read(in: folder, through: text) }

    private func cpuNanoseconds(_ counters: StatFile) throws(MemProbeError) -> Int {
        guard target != .current else { return MonotonicClock.processCPU() }
        let tick = 1_000_000_000 / sysconf(CInt(_SC_CLK_TCK))
        let (nanoseconds, overflow) = counters.cpuTicks.multipliedReportingOverflow(by: tick)
        guard !overflow else { throw MemProbeError(.malformed, source: "stat") }
        return nanoseconds
    }
}

extension SmapsRollup {
    /// Reads the sums over all mappings; `nil` if the kernel has no such file or hides it.
    ///
    /// The file is opened each time: it stays with the program that ran when it was opened, and a child spawned a
    /// moment ago may not have started its own program yet.
    static func read(
        in folder: borrowing Descriptor, through text: borrowing TextBuffer
    ) throws(MemProbeError) -> SmapsRollup? {
        do {
            let file = try Descriptor(opening: "smaps_rollup", in: folder)
            return try SmapsRollup(parsing: text.prefix(try file.read(into: text)).span)
        } catch {
            if error.saysHidden { return nil }
            throw error
        }
    }
}

extension MemProbeError {
    /// True if the kernel has no such file or hides it from this user: the reading is unavailable.
    var saysHidden: Bool { errno.map { [ENOENT, EACCES, EPERM].contains($0) } ?? false }
}

extension Descriptor {
    /// Opens a process's folder; if it is missing, there is no such process.
    init(openingFolderOf target: ProcessTarget, in procRoot: String) throws(MemProbeError) {
        if target != .current, procRoot == "/proc", let obstacle = ProcFileSystem.obstacle { throw obstacle }
        do {
            try self.init(opening: target.folder(in: procRoot), flags: O_RDONLY | O_DIRECTORY)
        } catch {
            guard error.errno == ENOENT else { throw error }
            throw MemProbeError(.noSuchProcess, source: error.source, errno: error.errno)
        }
    }
}

extension ProcessProbe {
    /// Begins a new phase: the kernel's high-water mark falls to what is resident now.
    ///
    /// It writes `5` to `/proc/PID/clear_refs` (kernel 4.0).
    ///
    /// - Returns: false if the kernel or its permissions refuse the reset. The phase begins nevertheless: its peak is
    ///   then the mark if that rises, else the largest exact reading.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended.
    public mutating func resetPeak() throws(MemProbeError) -> Bool {
        let isReset = try writeReset()
        // After a reset the old mark is gone; without one, only a rise above it belongs to this phase.
        peak = PeakRecord(start: isReset ? .reset : .refused(mark: try readStatus().peakResident))
        _ = try resident()
        return isReset
    }

    /// Reads the largest resident set since the last ``resetPeak()``, or since the process began.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended: a zombie has no mark.
    public mutating func peakSinceReset() throws(MemProbeError) -> PeakReading {
        _ = try resident()
        let status = try readStatus()
        return peak.reading(mark: status.peakResident, bound: PeakErrorBound.current(threads: status.threads))
    }

    /// Adds a reading of the same process that was taken elsewhere, for example by a sampler.
    public mutating func note(_ reading: ResidentReading) { peak.note(reading) }

    /// Requests the reset; returns false if the kernel refuses it.
    private func writeReset() throws(MemProbeError) -> Bool {
        switch clearRefs {
        case .none: return false
        case .some(let file):
            do {
                try file.write(UInt8(ascii: "5"))
                return true
            } catch {
                guard error.code == .noSuchProcess else { return false }
                throw error
            }
        }
    }

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
            let value = raw.loadUnaligned(
                fromByteOffset: index * MemoryLayout<ProgramMappings.PagemapEntry>.size, as: UInt64.self)
            if ProgramMappings.PagemapEntry(rawValue: value).isResidentFilePage { found += 1 }
        }
        return found
    }
}
