// SPDX-License-Identifier: Apache-2.0

/// The memory lines of `/proc/PID/status`.
///
/// Each of them can be missing: a zombie has no `Vm` lines, kernels before 4.5 have no `RssAnon`, `RssFile` and
/// `RssShmem`, and some sandboxes omit `VmHWM`.
package struct StatusFile: Hashable, Sendable, ParsedText {
    /// `VmHWM`: the largest resident set since the process began or the mark was reset.
    package var peakResident: ByteCount?
    /// `VmRSS`: the resident set.
    package var resident: ByteCount?
    /// `RssAnon`: the resident pages that no file backs.
    package var anonymous: ByteCount?
    /// `RssFile`: the resident pages of files.
    package var file: ByteCount?
    /// `RssShmem`: the resident pages of shared memory, including `tmpfs` files.
    package var shmem: ByteCount?
    /// `VmSwap`: the anonymous pages that are swapped out.
    package var swapped: ByteCount?
    /// `HugetlbPages`: what is mapped of huge page pools, in none of the others.
    package var hugetlb = ByteCount.zero
    package var threads: Int

    /// - Throws: ``MemProbeError/Code/malformed`` with the field's name for a line without a size in `kB`, or without
    ///   `Threads`, which every kernel writes.
    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var found: Int?
        threads = 0
        while !scanner.isAtEnd(of: text) {
            if scanner.skip("Threads:", in: text) {
                scanner.skipBlanks(in: text)
                found = scanner.number(in: text)
            } else {
                try readSize(&scanner, text)
            }
            scanner.skipLine(in: text)
        }
        guard let found else { throw MemProbeError(.malformed, source: "Threads") }
        threads = found
    }

    private mutating func readSize(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
        if let size = try scanner.kilobytes("VmHWM", in: text) {
            peakResident = size
        } else if let size = try scanner.kilobytes("VmRSS", in: text) {
            resident = size
        } else if let size = try scanner.kilobytes("RssAnon", in: text) {
            anonymous = size
        } else if let size = try scanner.kilobytes("RssFile", in: text) {
            file = size
        } else if let size = try scanner.kilobytes("RssShmem", in: text) {
            shmem = size
        } else if let size = try scanner.kilobytes("VmSwap", in: text) {
            swapped = size
        } else if let size = try scanner.kilobytes("HugetlbPages", in: text) {
            hugetlb = size
        }
    }
}

/// The counters of `/proc/PID/stat`, without the resident set (field 24), which is approximate on every kernel.
package struct StatFile: Hashable, Sendable, ParsedText {
    /// Field 3: `R`, `S`, `D`, `Z` …, as an ASCII byte.
    package var state: UInt8
    /// True for a process whose first thread has ended.
    package var isZombie: Bool { state == UInt8(ascii: "Z") }
    /// Field 4: the process that started or adopted it.
    package var parent: Int32
    /// Field 10: faults served without reading a disk.
    package var minorFaults: Int
    /// Field 12: faults that waited for a disk.
    package var majorFaults: Int
    /// Fields 14 and 15, user and system time together, in clock ticks.
    package var cpuTicks: Int
    /// Field 20: the number of threads.
    package var threads: Int
    /// Field 22: the time of its start after boot, in clock ticks.
    package var startTicks: Int
    /// Field 28: the start of the stack, which changes with `exec`; 0 if the kernel hides it.
    package var stackStart: Int

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        // The command's name may contain spaces and parentheses; only numbers follow its last parenthesis.
        guard let nameEnd = text.indices.last(where: { text[$0] == UInt8(ascii: ")") }) else {
            throw MemProbeError(.malformed, source: "stat")
        }
        var fields = Fields(nameEnd: nameEnd)
        state = try fields.state(text)
        guard let parent = Int32(exactly: try fields.number(4, text)) else {
            throw MemProbeError(.malformed, source: "stat")
        }
        self.parent = parent
        minorFaults = try fields.number(10, text)
        majorFaults = try fields.number(12, text)
        let user = try fields.number(14, text)
        let system = try fields.number(15, text)
        threads = try fields.number(20, text)
        startTicks = try fields.number(22, text)
        stackStart = (try? fields.number(28, text)) ?? 0
        let (ticks, overflow) = user.addingReportingOverflow(system)
        guard !overflow else { throw MemProbeError(.malformed, source: "stat") }
        cpuTicks = ticks
    }

    /// The fields after the command's name, by the numbers of `proc_pid_stat(5)`.
    private struct Fields {
        private var scanner = ByteScanner()
        private var next = 3

        init(nameEnd: Int) { scanner.position = nameEnd + 1 }

        mutating func state(_ text: Span<UInt8>) throws(MemProbeError) -> UInt8 {
            scanner.skipBlanks(in: text)
            let start = scanner.position
            scanner.skipWord(in: text)
            guard scanner.position == start + 1 else { throw MemProbeError(.malformed, source: "stat") }
            next += 1
            return text[start]
        }

        /// Reads a field; fields have to be read in their order.
        mutating func number(_ field: Int, _ text: Span<UInt8>) throws(MemProbeError) -> Int {
            while next < field {
                scanner.skipBlanks(in: text)
                scanner.skipWord(in: text)
                next += 1
            }
            scanner.skipBlanks(in: text)
            next += 1
            guard let number = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "stat") }
            return number
        }
    }
}

/// The first three fields of `/proc/PID/statm`, in pages.
package struct StatmFile: Hashable, Sendable, ParsedText {
    /// The address space; 0 for zombies and kernel threads, which have none.
    package var size: Int
    package var resident: Int
    /// The resident pages of files and shared memory.
    package var shared: Int

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        size = try Self.next(&scanner, text)
        resident = try Self.next(&scanner, text)
        shared = try Self.next(&scanner, text)
    }

    private static func next(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) -> Int {
        scanner.skipBlanks(in: text)
        guard let pages = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "statm") }
        return pages
    }
}
