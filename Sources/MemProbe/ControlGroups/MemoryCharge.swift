// SPDX-License-Identifier: Apache-2.0

/// The memory that a control group (cgroup) is charged at one time, and its parts.
///
/// A container is killed for its charge, not for the resident sets of its processes: page cache, files in memory, socket
/// buffers and kernel memory are part of it. The kernel reclaims clean page cache before it kills. The charge is counted
/// in batches of 64 pages for each processor, so it can exceed the use by that much. A part is `nil` if the kernel does not
/// report it.
public struct MemoryCharge: Codable, Hashable, Sendable, BitwiseCopyable {
    /// The whole charge, with ``sockets``.
    ///
    /// On version 1 of control groups, a limit does not count TCP buffers.
    public var total: ByteCount
    /// The memory of processes without a file: `anon`, in version 1 `total_rss`.
    public var anonymous: ByteCount
    /// Cached pages of files on drives: `file` or `total_cache`, without ``sharedMemory``.
    public var pageCache: ByteCount
    /// Files in memory (tmpfs) and shared memory: `shmem` or `total_shmem`; it can only be swapped out.
    public var sharedMemory: ByteCount
    /// The buffers of network sockets: `sock`, in version 1 those of TCP, `memory.kmem.tcp.usage_in_bytes`.
    public var sockets: ByteCount?
    /// Page tables, stacks, slabs and other memory of the kernel: `kernel` or its parts, in version 1
    /// `memory.kmem.usage_in_bytes`.
    ///
    /// Buffers of Unix sockets are among it.
    public var kernel: ByteCount?

    /// Creates a charge.
    public init(
        total: ByteCount, anonymous: ByteCount, pageCache: ByteCount, sharedMemory: ByteCount,
        sockets: ByteCount? = nil, kernel: ByteCount? = nil
    ) {
        (self.total, self.anonymous, self.pageCache) = (total, anonymous, pageCache)
        (self.sharedMemory, self.sockets, self.kernel) = (sharedMemory, sockets, kernel)
    }

    private enum CodingKeys: String, CodingKey {
        case total = "total_bytes"
        case anonymous = "anonymous_bytes"
        case pageCache = "page_cache_bytes"
        case sharedMemory = "shared_memory_bytes"
        case sockets = "sockets_bytes"
        case kernel = "kernel_bytes"
    }
}

/// The numbers of `memory.stat` that a charge consists of, and those that tell of reclaim.
package struct ChargeStatistics: Hashable, Sendable, ParsedText {
    package let anonymous: ByteCount
    /// The upper bound of ``anonymous``: the kernel counts in batches of up to 64 pages for each processor.
    var anonymousAtMost: ByteCount { anonymous + PeakErrorBound.current }
    /// The cached pages of all files, including those in memory.
    package let files: ByteCount
    package let sharedMemory: ByteCount
    /// `sock`; `nil` in version 1.
    package let sockets: ByteCount?
    /// `kernel` (since 5.18), else its parts; `nil` in version 1.
    package let kernel: ByteCount?
    package let reclaim: ReclaimCounts

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        // Version 1 counts without the groups below, and again with them.
        if let anonymous = Self.number("total_rss ", in: text) {
            self.anonymous = ByteCount(anonymous)
            files = try Self.size("total_cache ", in: text)
            sharedMemory = try Self.size("total_shmem ", in: text)
            (sockets, kernel) = (nil, nil)
            reclaim = ReclaimCounts(
                refaultedPages: (Self.number("total_workingset_refault_anon ", in: text) ?? 0)
                    + (Self.number("total_workingset_refault_file ", in: text) ?? 0),
                majorFaults: Self.number("total_pgmajfault ", in: text) ?? 0)
            return
        }
        anonymous = try Self.size("anon ", in: text)
        files = try Self.size("file ", in: text)
        sharedMemory = try Self.size("shmem ", in: text)
        sockets = Self.number("sock ", in: text).map { ByteCount($0) }
        let parts = [
            Self.number("kernel_stack ", in: text), Self.number("pagetables ", in: text),
            Self.number("sec_pagetables ", in: text), Self.number("percpu ", in: text),
            Self.number("vmalloc ", in: text), Self.number("slab ", in: text),
        ]
        kernel = ByteCount(Self.number("kernel ", in: text) ?? parts.reduce(0) { $0 + ($1 ?? 0) })
        // Before 5.9, all refaults were those of files.
        let older = Self.number("workingset_refault ", in: text)
        reclaim = ReclaimCounts(
            refaultedPages: older ?? (Self.number("workingset_refault_anon ", in: text) ?? 0)
                + (Self.number("workingset_refault_file ", in: text) ?? 0),
            majorFaults: Self.number("pgmajfault ", in: text) ?? 0)
    }

    private static func size(_ name: StaticString, in text: Span<UInt8>) throws(MemProbeError) -> ByteCount {
        guard let number = number(name, in: text) else {
            throw MemProbeError(.malformed, source: "memory.stat without \(name)")
        }
        return ByteCount(number)
    }

    /// Returns the number of the line that begins with a name and a space.
    private static func number(_ name: StaticString, in text: Span<UInt8>) -> Int? {
        var scanner = ByteScanner()
        while !scanner.isAtEnd(of: text) {
            if scanner.skip(name, in: text) { return scanner.number(in: text) }
            scanner.skipLine(in: text)
        }
        return nil
    }
}

/// Counts of what a control group had to read again because it was short of memory.
public struct ReclaimCounts: Codable, Hashable, Sendable {
    /// The pages that were reclaimed and soon needed again: `workingset_refault_*`.
    public var refaultedPages: Int
    /// The page faults that had to wait for a drive: `pgmajfault`.
    public var majorFaults: Int

    /// Creates counts.
    public init(refaultedPages: Int, majorFaults: Int) {
        (self.refaultedPages, self.majorFaults) = (refaultedPages, majorFaults)
    }

    private enum CodingKeys: String, CodingKey {
        case refaultedPages = "refaulted_pages"
        case majorFaults = "major_faults"
    }
}
