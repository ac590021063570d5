// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// The allocator's own statistics of this process, with the names and meanings of jemalloc.
public struct AllocatorStatistics: Codable, Hashable, Sendable, BitwiseCopyable {
    /// The bytes that the program has allocated and not freed, rounded up to size classes.
    ///
    /// jemalloc: `stats.allocated`, including blocks in thread caches. glibc: `uordblks + hblkhd` of `mallinfo2`,
    /// including blocks in thread caches and the headers of blocks.
    public var allocated: ByteCount
    /// The part of ``allocated`` that the program has freed and thread caches keep for reuse.
    ///
    /// jemalloc: `stats.arenas.<all>.tcache_bytes`; `nil` on glibc, which does not report it.
    public var cached: ByteCount?
    /// The pages that hold allocated blocks; jemalloc's `stats.active`, `nil` on glibc.
    public var active: ByteCount?
    /// The allocator's own data; jemalloc's `stats.metadata`, `nil` on glibc.
    public var metadata: ByteCount?
    /// The most that the allocator's pages can occupy in memory; jemalloc's `stats.resident`, `nil` on glibc.
    ///
    /// It can exceed the resident set, and excludes pages that are marked as free but still resident.
    public var resident: ByteCount?
    /// The address space in use: jemalloc's `stats.mapped`, `arena + hblkhd` of glibc's `mallinfo2`.
    public var mapped: ByteCount?
    /// The address space kept for later, not in memory; jemalloc's `stats.retained`, `nil` on glibc.
    public var retained: ByteCount?

    /// Creates statistics.
    public init(
        allocated: ByteCount, cached: ByteCount? = nil, active: ByteCount? = nil, metadata: ByteCount? = nil,
        resident: ByteCount? = nil,
        mapped: ByteCount? = nil, retained: ByteCount? = nil
    ) {
        (self.allocated, self.cached, self.active) = (allocated, cached, active)
        (self.metadata, self.resident, self.mapped) = (metadata, resident, mapped)
        self.retained = retained
    }

    /// Reads the current statistics, or returns `nil` if the allocator keeps none.
    ///
    /// With jemalloc it takes about 6 µs per arena, with glibc a walk over the free lists of all arenas: read it at
    /// marks. It allocates nothing.
    public static func read() -> AllocatorStatistics? { Jemalloc.isPresent ? readJemalloc() : readGlibc() }

    private static func readJemalloc() -> AllocatorStatistics? {
        guard Jemalloc.refreshStatistics(), let allocated = Names.allocated?.size() else { return nil }
        return AllocatorStatistics(
            allocated: allocated,
            cached: Names.cached?.size(),
            active: Names.active?.size(),
            metadata: Names.metadata?.size(),
            resident: Names.resident?.size(),
            mapped: Names.mapped?.size(),
            retained: Names.retained?.size())
    }

    private static func readGlibc() -> AllocatorStatistics? {
        var heap = cmemprobe_glibc_heap()
        guard cmemprobe_glibc_heap(&heap) else { return nil }
        return AllocatorStatistics(
            allocated: ByteCount(Int(clamping: heap.used) + Int(clamping: heap.mapped_blocks)),
            mapped: ByteCount(Int(clamping: heap.arena) + Int(clamping: heap.mapped_blocks)))
    }

    private enum CodingKeys: String, CodingKey {
        case allocated = "allocated_bytes"
        case cached = "cached_bytes"
        case active = "active_bytes"
        case metadata = "metadata_bytes"
        case resident = "resident_bytes"
        case mapped = "mapped_bytes"
        case retained = "retained_bytes"
    }

    /// The names of jemalloc's statistics, looked up at the first reading.
    private enum Names {
        static let allocated = Jemalloc.Name("stats.allocated")
        /// 4096 stands for all arenas together, as `MALLCTL_ARENAS_ALL` in `jemalloc.h`.
        static let cached = Jemalloc.Name("stats.arenas.4096.tcache_bytes")
        static let active = Jemalloc.Name("stats.active")
        static let metadata = Jemalloc.Name("stats.metadata")
        static let resident = Jemalloc.Name("stats.resident")
        static let mapped = Jemalloc.Name("stats.mapped")
        static let retained = Jemalloc.Name("stats.retained")
    }
}

/// Requests to the allocator.
public enum AllocatorControl {
    /// Asks the allocator to return free pages to the kernel.
    ///
    /// It calls jemalloc's `arena.<MALLCTL_ARENAS_ALL>.purge`, which leaves thread caches alone, or glibc's
    /// `malloc_trim(0)`.
    ///
    /// - Returns: false if this process's allocator has no such call. True does not mean that pages were returned.
    @discardableResult
    public static func purge() -> Bool {
        // 4096 is MALLCTL_ARENAS_ALL.
        Jemalloc.isPresent ? Jemalloc.call("arena.4096.purge") : cmemprobe_glibc_trim()
    }
}

/// Access to jemalloc's `mallctl` names without linking jemalloc.
enum Jemalloc {
    static var isPresent: Bool { cmemprobe_has_jemalloc() }

    /// A name that is looked up once: a read then takes 14 ns instead of 48.
    struct Name: Sendable {
        private let parts: (Int, Int, Int, Int)
        private let depth: Int

        /// Looks up a name of at most four parts such as `stats.active`; `nil` if jemalloc lacks it.
        init?(_ name: StaticString) {
            var parts = (0, 0, 0, 0)
            var depth = 4
            let status = withUnsafeMutableBytes(of: &parts) { bytes in
                name.withCString { cmemprobe_mallctlnametomib($0, bytes.bindMemory(to: Int.self).baseAddress, &depth) }
            }
            guard status == 0 else { return nil }
            (self.parts, self.depth) = (parts, depth)
        }

        func size() -> ByteCount? {
            var value = 0
            var length = MemoryLayout<Int>.size
            let status = withUnsafeBytes(of: parts) { bytes in
                cmemprobe_mallctlbymib(bytes.bindMemory(to: Int.self).baseAddress, depth, &value, &length, nil, 0)
            }
            return status == 0 ? ByteCount(value) : nil
        }
    }

    /// Makes jemalloc update its statistics, about 6 µs per arena.
    ///
    /// The old epoch is not read: reading into the variable that is written from would break Swift's exclusive access.
    static func refreshStatistics() -> Bool {
        var epoch: UInt64 = 1
        return cmemprobe_mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0
    }

    /// Calls a name without input and output.
    static func call(_ name: StaticString) -> Bool { name.withCString { cmemprobe_mallctl($0, nil, nil, nil, 0) } == 0 }

    /// Reads a value, which must have exactly the type that jemalloc documents for the name.
    static func value<Value: BitwiseCopyable>(_ name: StaticString, from zero: Value) -> Value? {
        var value = zero
        var length = MemoryLayout<Value>.size
        let status = withUnsafeMutableBytes(of: &value) { bytes in
            name.withCString { cmemprobe_mallctl($0, bytes.baseAddress, &length, nil, 0) }
        }
        return status == 0 && length == MemoryLayout<Value>.size ? value : nil
    }

    static func text(_ name: StaticString) -> String? {
        guard let pointer = value(name, from: UnsafePointer<CChar>?.none), let pointer else { return nil }
        return String(cString: pointer)
    }
}
