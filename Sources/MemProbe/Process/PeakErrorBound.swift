// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How far the kernel's high-water mark can be from the truth.
///
/// The kernel keeps three counters a process (file, anonymous, shared pages), and `VmHWM` is stored from what has been
/// handed in to them. Who keeps changes back depends on the kernel:
///
/// - Since Linux 6.2 every CPU collects them in a batch of its own: up to a batch less one page is missing for each
///   counter and CPU, whatever the size and the length of the peak.
/// - Before, every thread kept back what its last page faults had brought in, which is ``bytesAThread(pageSize:)``.
///
/// The origin is `percpu_counter_batch`, `TASK_RSS_EVENTS_THRESH` and `mm->hiwater_rss` of the kernel.
public enum PeakErrorBound {
    /// The bound of this machine; on kernels before 6.2 that of a process with one thread.
    public static var current: ByteCount { current(threads: 1) }

    /// The bound of this machine for a process with so many threads.
    public static func current(threads: Int) -> ByteCount {
        machine.bytes(threads: threads)
    }

    /// The bound of a machine with this many possible CPUs and pages of this many bytes, since Linux 6.2.
    public static func bytes(cpus: Int, pageSize: Int) -> ByteCount {
        precondition(cpus > 0 && pageSize > 0, "a machine has CPUs and pages")
        let batch = max(32, 2 * cpus)
        return ByteCount(3 * cpus * (batch - 1) * pageSize)
    }

    /// The bound for each thread of a process before Linux 6.2.
    ///
    /// A thread hands in at its 66th fault, before that fault is served, and one fault may map 64 KiB around its address
    /// of a file.
    public static func bytesAThread(pageSize: Int) -> ByteCount {
        precondition(pageSize > 0, "a machine has pages")
        return ByteCount(66 * max(pageSize, 65_536))
    }

    /// Both kinds of bound as they hold on one machine, of which one is zero.
    package struct Machine: Hashable, Sendable {
        /// The bound whatever the number of threads.
        package let ofProcess: ByteCount
        package let ofThread: ByteCount

        /// Creates the bounds of a machine; of an unknown kernel both hold.
        package init(kernel: KernelVersion?, cpus: Int, pageSize: Int) {
            let countsInThreads = kernel.map { $0 < .countsByCPU }
            ofProcess = countsInThreads == true ? .zero : PeakErrorBound.bytes(cpus: cpus, pageSize: pageSize)
            ofThread = countsInThreads == false ? .zero : PeakErrorBound.bytesAThread(pageSize: pageSize)
        }

        package func bytes(threads: Int) -> ByteCount {
            ofProcess + ByteCount(max(1, threads) * ofThread.rawValue)
        }
    }

    package static let machine = Machine(
        kernel: .current, cpus: sysconf(CInt(_SC_NPROCESSORS_CONF)), pageSize: pageSize)

    /// The size of a page in bytes.
    static var pageSize: Int {
        sysconf(CInt(_SC_PAGESIZE))
    }
}
