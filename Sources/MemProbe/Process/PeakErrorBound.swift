// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The largest error of the kernel's high-water mark.
///
/// The kernel keeps three counters per process (file, anonymous, shared pages) and updates `VmHWM` from them. Changes
/// are batched before they reach the counters:
///
/// - Since Linux 6.2, per CPU: each counter can lack up to a batch less one page per CPU, whatever the size and length
///   of the peak.
/// - Before, per thread: each can lack its last page faults, see ``bytesAThread(pageSize:)``.
///
/// Source: `percpu_counter_batch`, `TASK_RSS_EVENTS_THRESH` and `mm->hiwater_rss` in the kernel.
public enum PeakErrorBound {
    /// The bound on this machine; on kernels before 6.2, for a process with one thread.
    public static var current: ByteCount { current(threads: 1) }

    /// Returns the bound on this machine for a process with this many threads.
    public static func current(threads: Int) -> ByteCount { machine.bytes(threads: threads) }

    /// Returns the bound since Linux 6.2 for this many possible CPUs and this page size in bytes.
    public static func bytes(cpus: Int, pageSize: Int) -> ByteCount {
        precondition(cpus > 0 && pageSize > 0, "a machine has CPUs and pages")
        let batch = max(32, 2 * cpus)
        return ByteCount(3 * cpus * (batch - 1) * pageSize)
    }

    /// Returns the bound per thread of a process before Linux 6.2.
    ///
    /// A thread updates the counters at its 66th fault, before serving it, and a fault may map 64 KiB of a file around
    /// its address.
    public static func bytesAThread(pageSize: Int) -> ByteCount {
        precondition(pageSize > 0, "a machine has pages")
        return ByteCount(66 * max(pageSize, 65_536))
    }

    /// The bounds per process and per thread on one machine, one of which is zero if the kernel is known.
    package struct Machine: Hashable, Sendable {
        package let ofProcess: ByteCount
        package let ofThread: ByteCount

        /// Creates the bounds of a machine; if the kernel is unknown, both apply.
        package init(kernel: KernelVersion?, cpus: Int, pageSize: Int) {
            let countsInThreads = kernel.map { $0 < .countsByCPU }
            ofProcess = countsInThreads == true ? .zero : PeakErrorBound.bytes(cpus: cpus, pageSize: pageSize)
            ofThread = countsInThreads == false ? .zero : PeakErrorBound.bytesAThread(pageSize: pageSize)
        }

        package func bytes(threads: Int) -> ByteCount { ofProcess + ByteCount(max(1, threads) * ofThread.rawValue) }
    }

    package static let machine = Machine(
        kernel: .current, cpus: sysconf(CInt(_SC_NPROCESSORS_CONF)), pageSize: pageSize)

    static var pageSize: Int { sysconf(CInt(_SC_PAGESIZE)) }
}
