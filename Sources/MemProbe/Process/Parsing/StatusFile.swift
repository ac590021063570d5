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
    /// `Threads`: the number of threads.
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
