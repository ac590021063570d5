// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
