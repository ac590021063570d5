// SPDX-License-Identifier: Apache-2.0

/// Who a thread is, from `/proc/TID/status`.
package struct ThreadIdentity: Hashable, Sendable, ParsedText {
    /// `Tgid`: the process that the thread belongs to.
    package var process: Int32
    /// `PPid`: the process that began it, or that took it over.
    package var parent: Int32

    package init(process: Int32, parent: Int32) {
        self.process = process
        self.parent = parent
    }

    /// Parses the file.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` where one of the lines is missing or no number.
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

/// How closely a process's mappings are looked at beside its `status`.
package enum MappingsLook: Hashable, Sendable {
    case none
    /// By their names, which costs the process nothing.
    case names
    /// By what is resident of each, for which all page tables are walked: only of a process that stands still.
    case pages
}

/// What is read of a process while it stands at its end, or when it is polled.
package struct ProcessReading: Hashable, Sendable {
    /// `VmHWM`, or `nil` where the memory is gone or the kernel keeps no mark.
    package var mark: ByteCount?
    /// `RssAnon`.
    package var anonymous: ByteCount?
    /// The CPU time of the whole process so far, in nanoseconds.
    package var cpuNanoseconds: Int
    /// Whether a library with the name of jemalloc is mapped, or `nil` where that was not looked up.
    package var mapsJemalloc: Bool?
    /// The program pages, or `nil` where they were not looked up or the kernel hides them.
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
