// SPDX-License-Identifier: Apache-2.0

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
