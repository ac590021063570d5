// SPDX-License-Identifier: Apache-2.0

/// The process and parent of a thread, from `/proc/TID/status`.
package struct ThreadIdentity: Hashable, Sendable, ParsedText {
    /// `Tgid`: the process of the thread.
    package var process: Int32
    /// `PPid`: the process that started or adopted it.
    package var parent: Int32

    package init(process: Int32, parent: Int32) {
        self.process = process
        self.parent = parent
    }

    /// The identity of what a process has started by a `clone` with these flags: a thread of its own, or a child.
    package init(_ thread: Int32, startedIn starter: Int32, cloneFlags: UInt64) {
        self.init(process: cloneFlags & Self.threadFlag != 0 ? starter : thread, parent: starter)
    }

    /// `CLONE_THREAD`, which the C library's overlay omits.
    private static let threadFlag: UInt64 = 0x10000

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var process: Int32?
        var parent: Int32?
        while !scanner.isAtEnd(of: text) {
            if scanner.skip("Tgid:", in: text) {
                process = Self.number(&scanner, text)
            } else if scanner.skip("PPid:", in: text) {
                parent = Self.number(&scanner, text)
            }
            scanner.skipLine(in: text)
        }
        guard let process else { throw MemProbeError(.malformed, source: "Tgid") }
        guard let parent else { throw MemProbeError(.malformed, source: "PPid") }
        self.process = process
        self.parent = parent
    }

    private static func number(_ scanner: inout ByteScanner, _ text: Span<UInt8>) -> Int32? {
        scanner.skipBlanks(in: text)
        return scanner.number(in: text).flatMap { Int32(exactly: $0) }
    }
}

/// The amount of detail to read from a process's mappings in addition to its `status`.
package enum MappingsLook: Hashable, Sendable {
    case none
    /// Their names, which costs the process nothing.
    case names
    /// The resident pages of each, which takes a walk of all page tables: only for a stopped process.
    case pages
}

/// A reading of a process at its exit stop, or when polled.
package struct ProcessReading: Hashable, Sendable {
    /// `VmHWM`, or `nil` if the memory is gone or the kernel keeps no mark.
    package var mark: ByteCount?
    /// `RssAnon` and `HugetlbPages`.
    package var anonymous: ByteCount?
    /// The CPU time of the whole process so far, in nanoseconds.
    package var cpuNanoseconds: Int
    /// True if a library named jemalloc is mapped, or `nil` if that was not read.
    package var mapsJemalloc: Bool?
    /// The program pages, or `nil` if they were not read or the kernel hides them.
    package var programPages: ByteCount?

    package init(
        mark: ByteCount?, anonymous: ByteCount? = nil, cpuNanoseconds: Int = 0, mapsJemalloc: Bool? = nil,
        programPages: ByteCount? = nil
    ) {
        self.mark = mark
        self.anonymous = anonymous
        self.cpuNanoseconds = cpuNanoseconds
        self.mapsJemalloc = mapsJemalloc
        self.programPages = programPages
    }
}
