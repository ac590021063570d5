// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How far the kernel's high-water mark can be from the truth.
///
/// The kernel keeps three counters a process (file, anonymous, shared pages), and every CPU collects changes
/// to each in a batch of its own. `VmHWM` is stored from what has been handed in: up to a batch less one page is
/// missing for each counter and CPU, whatever the size and the length of the peak.
///
/// The origin is `percpu_counter_batch` and `mm->hiwater_rss` of the kernel.
public enum PeakErrorBound {
    /// The bound of this machine.
    public static var current: ByteCount {
        bytes(cpus: sysconf(CInt(_SC_NPROCESSORS_CONF)), pageSize: pageSize)
    }

    /// The bound of a machine with this many possible CPUs and pages of this many bytes.
    public static func bytes(cpus: Int, pageSize: Int) -> ByteCount {
        precondition(cpus > 0 && pageSize > 0, "a machine has CPUs and pages")
        let batch = max(32, 2 * cpus)
        return ByteCount(3 * cpus * (batch - 1) * pageSize)
    }

    /// The size of a page in bytes.
    static var pageSize: Int {
        sysconf(CInt(_SC_PAGESIZE))
    }
}
