// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// The part of a file that the kernel keeps in memory, which is in no process's resident set.
///
/// The kernel gives it up when memory runs short: report it separately and never gate on it.
public struct PageCache {
    /// Returns the bytes of a file that are in the page cache, in whole pages, including dirty ones.
    ///
    /// It calls `cachestat(2)` (kernel 6.5) or, if that is missing, `mincore(2)`.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``MemProbeError/Code/unreadable`` if the file cannot be opened, ``MemProbeError/Code/unavailable`` if
    ///   the kernel hides the answer from this user.
    public static func residentBytes(ofFile path: String) throws(MemProbeError) -> ByteCount {
        let file = try Descriptor(opening: path)
        var pages: UInt64 = 0
        switch cmemprobe_cached_pages(file.number, &pages) {
        case 0:
            guard let pages = Int(exactly: pages) else { throw MemProbeError(.malformed, source: "cachestat") }
            return try ByteCount(pages: pages, ofSize: PeakErrorBound.pageSize, source: "cachestat")
        // Seccomp filters that do not know the call return EPERM.
        case ENOSYS, EPERM: return try residentBytesByMapping(ofFile: path)
        case let errno: throw MemProbeError(.unavailable, source: "cachestat", errno: errno)
        }
    }

    /// Gives up the cached pages of a file, but those that are mapped or not yet written; needs no right to write it.
    package static func drop(ofFile path: String) throws(MemProbeError) {
        let file = try Descriptor(opening: path)
        let status = posix_fadvise(file.number, 0, 0, POSIX_FADV_DONTNEED)
        guard status == 0 else { throw MemProbeError(.unavailable, source: "posix_fadvise", errno: status) }
    }

    /// Returns the same from `mincore(2)`, on every kernel.
    package static func residentBytesByMapping(ofFile path: String) throws(MemProbeError) -> ByteCount {
        let file = try Descriptor(opening: path)
        var attributes = stat()
        guard fstat(file.number, &attributes) == 0 else {
            throw MemProbeError(.unreadable, source: path, errno: errno)
        }
        // To a user who may not write the file, the kernel reports all of it as cached.
        guard geteuid() == 0 || attributes.st_uid == geteuid() || access(path, W_OK) == 0 else {
            throw MemProbeError(.unavailable, source: "mincore", errno: EPERM)
        }
        let window = 16384 * PeakErrorBound.pageSize
        var total = 0
        for offset in stride(from: 0, to: Int(attributes.st_size), by: window) {
            total += try pages(of: file, at: offset, length: min(window, Int(attributes.st_size) - offset))
        }
        return ByteCount(total * PeakErrorBound.pageSize)
    }

    /// Counts the cached pages of a part of the file; mapping it loads none of them.
    private static func pages(
        of file: borrowing Descriptor, at offset: Int, length: Int
    ) throws(MemProbeError) -> Int {
        guard let mapping = mmap(nil, length, PROT_READ, MAP_SHARED, file.number, off_t(offset)),
            mapping != MAP_FAILED
        else { throw MemProbeError(.unavailable, source: "mmap", errno: errno) }
        defer { munmap(mapping, length) }
        let pageSize = PeakErrorBound.pageSize
        var states = [UInt8](repeating: 0, count: (length + pageSize - 1) / pageSize)
        guard mincore(mapping, length, &states) == 0 else {
            throw MemProbeError(.unavailable, source: "mincore", errno: errno)
        }
        // Only the lowest bit is defined.
        return states.count { $0 & 1 == 1 }
    }
}
